"""Tests of the loop of generations: `python training/tests/test_loop.py`, with the engine in `MALECON` or
`target/release/malecon`.

Most of them need no PyTorch: a script that writes networks which the engine has takes the part of the trainer.
"""

from __future__ import annotations

import csv
import errno
import importlib.util
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from malecon_training import files  # noqa: E402
from malecon_training.loop import strength  # noqa: E402
from malecon_training.loop.claims import Claims  # noqa: E402
from malecon_training.loop.folder import Folder, Settings  # noqa: E402
from malecon_training.loop.gate import command, verdict  # noqa: E402

MALECON = os.environ.get("MALECON", str(ROOT.parent / "target/release/malecon"))
HAS_TORCH = importlib.util.find_spec("torch") is not None
TRAINER = """#!{python}
import shutil, sys, time
options = dict(zip(sys.argv[3:], sys.argv[4:]))
is_first = options["--steps"] == "0"
if "--nonsense" in options:
    sys.exit("error: unrecognized arguments: --nonsense")
time.sleep(0 if is_first else 0.3)
network = "first.bin" if is_first else "later.bin"
for file in ("--out", "--checkpoint"):
    if file in options:
        shutil.copyfile({scratch!r} + "/" + network, options[file])
"""
SMALL = ("--sides", 4, "--games", 12, "--chunk", 4, "--simulations", 16, "--short", 8, "--steps", 20, "--window", 20)
# Engines that are started for each game play the same games, whatever they played before.
GATE = ("--gate-simulations", 8, "--gate-games", 8, "--sprt", "0,200", "--gate=--restart")


def wait_for(condition, what: str, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.01)


def numbers(folder: Folder, generation: int) -> list[int]:
    """The numbers of the games of a generation, in the order of the files."""
    files = sorted((folder.generation(generation) / "games").glob("*.jsonl"))
    return [json.loads(line)["game"] for file in files for line in file.read_text().splitlines()]


def content(path: Path) -> dict[str, bytes]:
    """What lies in a folder, without what depends on the time."""
    files = {}
    for file in sorted(path.rglob("*")):
        name = str(file.relative_to(path))
        if not file.is_file() or file.name in ("log.txt", "games.jsonl", "match.json"):
            continue
        files[name] = file.read_bytes()
        if file.name == "result.json":
            result = json.loads(files[name])
            del result["date"]
            files[name] = json.dumps(result).encode()
        if file.suffix == ".sgf":
            files[name] = file.read_bytes().split(b"GC[")[0].split(b"DT[")[0]
    return files


class Case(unittest.TestCase):
    python: str | None = None
    scratch: Path
    undisturbed: Folder
    printed: str

    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = Path(scratch.name)
        if cls.python is None:
            trainer = cls.scratch / "trainer"
            trainer.write_text(TRAINER.format(python=sys.executable, scratch=scratch.name))
            trainer.chmod(0o755)
            for name, which in (("first", ("--solver",)), ("later", ("--side", "4"))):
                out = cls.scratch / f"{name}.bin"
                subprocess.run([MALECON, "network", *which, "--out", out], check=True, capture_output=True)
            cls.python = str(trainer)
        cls.undisturbed = Folder(cls.scratch / "undisturbed")
        cls.printed = cls.run_loop(cls.undisturbed, *SMALL, *GATE, "--generations", 2, "--threads", 1).stdout

    @classmethod
    def start(cls, folder: Folder, *options: object) -> subprocess.Popen:
        command = [sys.executable, "-m", "malecon_training.loop", "--folder", folder.path, "--malecon", MALECON]
        command += ["--python", cls.python, *options]
        program = subprocess.Popen(
            list(map(str, command)),
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        # A test that fails leaves nothing behind.
        cls.addClassCleanup(program.kill)
        return program

    @classmethod
    def run_loop(cls, folder: Folder, *options: object, status: int = 0) -> subprocess.CompletedProcess:
        program = cls.start(folder, *options)
        output, errors = program.communicate(timeout=300)
        if program.returncode != status:
            raise AssertionError(f"status {program.returncode}:\n{output}{errors}")
        return subprocess.CompletedProcess((), status, output, errors)

    def folder(self) -> Folder:
        return Folder(self.scratch / self.id().rpartition(".")[2])

    def engine(self, name: str, line: str) -> Path:
        """An engine that first does what this line of a shell says."""
        path = self.scratch / name
        path.write_text(f'#!/bin/sh\n{line}\nexec "{MALECON}" "$@"\n')
        path.chmod(0o755)
        return path

    def assert_undisturbed(self, folder: Folder) -> None:
        """The same games, networks and gates as those of the loop that nobody disturbed, and nothing else."""
        expected, found = content(self.undisturbed.path), content(folder.path)
        self.assertEqual(sorted(found), sorted(expected))
        for name, file in expected.items():
            self.assertEqual(found[name], file, name)

    def kill_often(self, draw: random.Random, *options: object) -> Folder:
        """A loop that is killed in each stage of its first generation and after it, and a random time after that."""
        folder = self.folder()
        first = folder.generation(1)

        def has(path: Path, text: str) -> bool:
            return path.exists() and text in path.read_text()

        for moment in (
            lambda: (folder.path / "trial").exists(),
            lambda: list(first.glob("games/*.part")),
            lambda: folder.games(1, 1).exists(),
            lambda: has(first / "log.txt", "learn export"),
            lambda: has(first / "log.txt", "malecon_training"),
            lambda: has(first / "gate/games.jsonl", "winner"),
            lambda: folder.result(1),
            lambda: folder.games(2, 1).exists(),
        ):
            for seconds in (0.0, draw.uniform(0.0, 0.6)):
                program = self.start(folder, *options)
                wait_for(lambda: moment() or program.poll() is not None, "a stage")  # noqa: B023
                time.sleep(seconds)
                program.kill()
                program.communicate()
        self.run_loop(folder, *options)
        return folder


class Loop(Case):
    """With a script in place of the trainer."""

    def test_a_loop_plays_trains_gates_and_promotes(self) -> None:
        folder = self.undisturbed
        for generation in (1, 2):
            self.assertEqual(sorted(numbers(folder, generation)), list(range(12)))
        results = [result for i in (1, 2) if (result := folder.result(i)) is not None]
        best = "network-0"
        for result in results:
            self.assertEqual(result["against"], best)
            best = result["network"] if result["promoted"] else best
        self.assertEqual(folder.best(), best)
        self.assertEqual((folder.path / "best.bin").read_bytes(), folder.network(best).read_bytes())
        rows = list(csv.DictReader((folder.path / "strength.csv").read_text().splitlines()))
        self.assertEqual([row["network"] for row in rows], ["network-0", "network-1", "network-2"])
        self.assertEqual([row["games"] for row in rows], ["0", "12", "24"])
        self.assertAlmostEqual(sum(float(row["rating"]) for row in rows), 0.0, delta=0.2)
        for row, result in zip(rows[1:], results, strict=True):
            self.assertEqual(row["promoted"], "yes" if result["promoted"] else "no")
            self.assertEqual(int(row["won"]) + int(row["drawn"]) + int(row["lost"]), int(row["gate_games"]))
            self.assertIn(result["why"], folder.log.read_text())
        # The samples of both generations are trained on, those of the second with the window of the newest 20 games.
        log = (folder.generation(2) / "log.txt").read_text()
        self.assertRegex(log, r"--samples \S+/generation-001/samples \S+/generation-002/samples --window 20")
        self.assertIn("network-2", self.printed)

    def test_a_loop_that_is_done_prints_its_result_again(self) -> None:
        before = content(self.undisturbed.path)
        # Settings that are not given are those of the folder.
        again = self.run_loop(self.undisturbed)
        self.assertEqual((again.stdout, content(self.undisturbed.path)), (self.printed, before))

    def test_a_killed_loop_goes_on_as_if_nothing_had_happened(self) -> None:
        folder = self.kill_often(random.Random(1), *SMALL, *GATE, "--generations", 2, "--threads", 1)
        self.assert_undisturbed(folder)

    def test_workers_come_and_go(self) -> None:
        folder = self.folder()
        # Nobody plays a chunk as long as there is this file.
        hold = self.scratch / "hold"
        hold.touch()
        wait = f'case "$*" in *" --out "*/games/*) while [ -e "{hold}" ]; do sleep 0.05; done; esac'
        held = self.engine("held-malecon", wait)

        def has_chunk(program: subprocess.Popen) -> bool:
            claims = folder.path.glob("generation-001/games/*.claim")
            return any(f'"process": {program.pid},' in claim.read_text() for claim in claims)

        workers = [self.start(folder, "--worker", "--threads", 1, "--malecon", held) for _ in range(2)]
        lead = self.start(folder, *SMALL, *GATE, "--generations", 2, "--threads", 1, "--malecon", held)
        # A worker is killed in the middle of a chunk and stays in the table of processes; another one comes.
        wait_for(lambda: has_chunk(workers[0]), "the chunk of a worker")
        workers[0].kill()
        workers.append(self.start(folder, "--worker", "--threads", 2, "--malecon", held))
        hold.unlink()
        for program in (lead, *workers):
            output, errors = program.communicate(timeout=120)
            self.assertEqual(program.returncode, -9 if program is workers[0] else 0, errors)
        self.assertRegex(output, r"^\d+ games played\n$")
        self.assert_undisturbed(folder)

    def test_other_settings_are_refused(self) -> None:
        before = content(self.undisturbed.path)
        start = self.scratch / "later.bin"
        for options, said in [
            (("--games", 13), "--games was 12 and is now 13"),
            (("--sides", "4:1"), "--sides was '4' and is now '4:1'"),
            (("--seconds", 5), "--seconds was not given and is now 5.0"),
            (("--start", start), "began with another network than that of --start"),
            (("--worker", "--gate-games", 10), "--gate-games was 8 and is now 10"),
        ]:
            refused = self.run_loop(self.undisturbed, *options, status=1)
            self.assertEqual(refused.stdout, "")
            self.assertEqual(len(refused.stderr.splitlines()), 1)
            self.assertIn(said, refused.stderr)
        self.assertEqual(content(self.undisturbed.path), before)

    def test_a_loop_begins_only_with_settings_that_the_programs_take(self) -> None:
        folder = self.folder()
        for options, said in [
            (("--sides", 99), "invalid side '99'"),
            (("--sides", 5, "--sprt", "5"), "--sprt"),
            (("--play=--nonsense",), "--nonsense"),
            (("--train=--nonsense 1",), "--nonsense"),
            (("--gate=--nonsense",), "--nonsense"),
            # What the loop itself gives to the programs.
            (("--play=--threads 2",), "--threads"),
            (("--gate=--concurrency 1",), "--concurrency"),
            (("--train=--samples human",), "--train cannot have --samples"),
            (("--start", self.scratch / "missing.bin"), "missing.bin: No such file"),
            (("--start", __file__), "test_loop.py"),
        ]:
            refused = self.run_loop(folder, *options, status=1)
            self.assertEqual(len(refused.stderr.splitlines()), 1, refused.stderr)
            self.assertIn(said, refused.stderr)
            self.assertFalse(folder.path.exists())
        for option, value in [("--games", 0), ("--seconds", 0), ("--gate-games", 1), ("--patience", "nan")]:
            refused = self.run_loop(folder, option, value, status=2)
            self.assertRegex(refused.stderr, rf"^error: argument {option}: '{value}' .*\n$")
            self.assertFalse(folder.path.exists())

    def test_a_folder_has_one_lead(self) -> None:
        folder = self.folder()
        first = self.start(folder, *SMALL, *GATE, "--generations", 1, "--threads", 1)
        wait_for(lambda: folder.settings() is not None, "the loop")
        refused = self.run_loop(folder, status=1)
        self.assertIn(f"process {first.pid} on", refused.stderr)
        self.assertIn("already leads the loop", refused.stderr)
        _, errors = first.communicate(timeout=120)
        self.assertEqual(first.returncode, 0, errors)

    def test_the_loop_of_a_machine_that_is_gone_is_taken_over(self) -> None:
        folder = self.folder()
        folder.path.mkdir()
        claim = folder.path / "loop.claim"
        claim.write_text(json.dumps({"token": "other", "place": "elsewhere", "process": 7, "started": "1"}))
        options = (*SMALL, *GATE, "--generations", 1, "--threads", 1, "--patience", 1)
        led = self.run_loop(folder, *options)
        self.assertIn("process 7 on elsewhere has led the loop: waiting for a sign of it", led.stderr)
        self.assertFalse(claim.exists())

    def test_a_gate_goes_on_with_another_path_of_the_engine_and_of_the_folder(self) -> None:
        folder = self.folder()
        options = (*SMALL, *GATE, "--generations", 2, "--threads", 1)
        program = self.start(folder, *options)
        games = folder.generation(1) / "gate/games.jsonl"
        wait_for(lambda: games.exists() and "winner" in games.read_text(), "a game of the gate")
        program.kill()
        program.communicate()
        moved = Folder(folder.path.with_name("moved"))
        folder.path.rename(moved.path)
        other = self.scratch / "other-malecon"
        shutil.copyfile(MALECON, other)
        other.chmod(0o755)
        self.run_loop(moved, *options, "--malecon", other)
        self.assert_undisturbed(moved)

    def test_an_interrupt_ends_everything_and_says_how_to_go_on(self) -> None:
        folder = self.folder()
        # Its games take long enough to be interrupted.
        slow = self.engine("slow-malecon", '[ "$2" = play ] && sleep 0.5')
        options = (*SMALL, *GATE, "--generations", 2, "--threads", 1, "--malecon", slow)
        for number in (signal.SIGINT, signal.SIGTERM):
            program = self.start(folder, *options)
            wait_for(lambda: list(folder.path.glob("generation-001/games/*.claim")), "the first games")
            program.send_signal(number)
            _, errors = program.communicate(timeout=20)
            self.assertEqual(program.returncode, 130, errors)
            self.assertIn(f"the same command goes on with {folder.path}", errors.splitlines()[-1])
            self.assertEqual(list(folder.path.rglob("*.claim")), [])
            self.assertFalse(self.is_used(folder), "a program still runs")
        self.run_loop(folder, *options)
        self.assert_undisturbed(folder)

    @staticmethod
    def is_used(folder: Folder) -> bool:
        """Whether a process of this machine names the folder."""
        name = str(folder.path).encode()
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if name in file.read_bytes():
                    return True
            except OSError:
                pass
        return False


@unittest.skipUnless(HAS_TORCH, "PyTorch is missing")
class LoopWithTraining(Case):
    """With the trainer."""

    python = sys.executable

    def test_a_killed_loop_trains_the_same_networks(self) -> None:
        folder = self.kill_often(random.Random(2), *SMALL, *GATE, "--generations", 2, "--threads", 1)
        self.assert_undisturbed(folder)
        networks = {folder.network(f"network-{i}").read_bytes() for i in range(3)}
        self.assertEqual(len(networks), 3)


class Parts(unittest.TestCase):
    """Single parts of the loop."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)

    def test_options_of_the_gate_replace_those_of_the_loop(self) -> None:
        """Also in one word with their values: the program refuses an option that it gets twice."""

        def words(gate: str) -> list[str]:
            networks = {"a": Path("a.bin"), "b": Path("b.bin")}
            return [str(word) for word in command("malecon", Settings(gate=gate), 3, networks, 10, 1, Path("out"))]

        self.assertIn("balanced", words(""))
        for gate in ("--openings=none --seed=7", "--openings none --seed 7"):
            given = [word.partition("=")[0] for word in words(gate)]
            self.assertEqual((given.count("--openings"), given.count("--seed")), (1, 1))
            self.assertNotIn("balanced", words(gate))

    def test_a_file_appears_in_one_step_or_stays_as_it_was(self) -> None:
        file, link = self.path / "file", self.path / "link"
        link.symlink_to("file")
        for path, content in ((file, b"first"), (link, b"second")):
            files.check(path)
            files.replace(path, content)
            self.assertEqual(file.read_bytes(), content)
        self.assertTrue(link.is_symlink())
        (self.path / "file.new").symlink_to("elsewhere")
        files.replace(file, b"second")
        self.assertEqual(sorted(self.path.iterdir()), [file, link])
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with mock.patch.object(files.os, "fsync", side_effect=full), self.assertRaises(OSError) as raised:
            files.replace(file, b"third")
        self.assertEqual((raised.exception.errno, raised.exception.filename), (errno.ENOSPC, str(file)))
        self.assertEqual((file.read_bytes(), sorted(self.path.iterdir())), (b"second", [file, link]))
        missing = self.path / "missing/file"
        for write in (files.check, lambda path: files.replace(path, b"")):
            with self.assertRaises(FileNotFoundError) as raised:
                write(missing)
            self.assertEqual(raised.exception.filename, str(missing))
            with self.assertRaises(IsADirectoryError):
                write(self.path)
        files.check(Path(os.devnull))
        files.replace(Path(os.devnull), b"content")
        self.assertFalse(Path(os.devnull).is_file())

    def test_a_claim_has_one_owner(self) -> None:
        claim = self.path / "claim"
        all_claims = [Claims() for _ in range(16)]
        for _ in range(20):
            taken: list[Claims] = []
            start = threading.Barrier(len(all_claims))

            def take(claims: Claims, start: threading.Barrier = start, taken: list[Claims] = taken) -> None:
                start.wait()
                if claims.take(claim):
                    taken.append(claims)

            threads = [threading.Thread(target=take, args=(claims,)) for claims in all_claims]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual([claims.holds(claim) for claims in all_claims].count(True), 1)
            self.assertEqual(len(taken), 1)
            taken[0].release(claim)
            self.assertEqual(list(self.path.iterdir()), [])

    @staticmethod
    def taking(claim: Path) -> list[str]:
        """The command of a process that takes a claim and ends."""
        code = "import sys; from pathlib import Path; from malecon_training.loop.claims import Claims\n"
        code += "assert Claims().take(Path(sys.argv[1]))"
        return [sys.executable, "-B", "-c", code, str(claim)]

    def test_a_claim_of_a_process_that_is_gone_is_taken_over(self) -> None:
        claim = self.path / "claim"
        subprocess.run(self.taking(claim), check=True, env={"PYTHONPATH": str(ROOT)})
        self.assertTrue(claim.exists())
        claims = Claims()
        self.assertTrue(claims.take(claim) and claims.holds(claim))

    @unittest.skipUnless(sys.platform.startswith("linux"), "only Linux shows the state of a process in a file")
    def test_a_process_that_nobody_has_waited_for_is_gone(self) -> None:
        claim = self.path / "claim"
        program = subprocess.Popen(self.taking(claim), env={"PYTHONPATH": str(ROOT)})
        os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
        self.assertTrue(claim.exists() and Path(f"/proc/{program.pid}").exists())
        self.assertTrue(Claims().take(claim))
        self.assertEqual(program.wait(), 0)

    def test_a_claim_of_a_silent_machine_is_taken_over_after_a_while(self) -> None:
        claim, patience = self.path / "claim", 0.5
        theirs = {"token": "other", "place": "elsewhere", "process": 1, "started": "1"}
        claim.write_text(json.dumps(theirs))
        claims = Claims(patience)
        # While it is touched, it stays theirs, whatever their clock says.
        for seconds in range(5):
            os.utime(claim, (seconds, seconds))
            self.assertFalse(claims.take(claim))
            time.sleep(patience / 3)
        wait_for(lambda: claims.take(claim), "the claim")
        self.assertTrue(claims.holds(claim))
        # A claim that somebody else took over is not removed.
        claim.write_text(json.dumps(theirs))
        claims.release(claim)
        self.assertEqual(json.loads(claim.read_text()), theirs)

    def test_an_owner_with_more_patience_keeps_its_claim(self) -> None:
        claim, impatient = self.path / "claim", Claims(0.1)
        theirs = {"token": "other", "place": "elsewhere", "process": 1, "started": "1", "patience": 1000.0}
        claim.write_text(json.dumps(theirs))
        self.assertFalse(impatient.take(claim))
        time.sleep(0.3)
        self.assertFalse(impatient.take(claim))
        self.assertTrue(Claims(7.0).take(self.path / "own"))
        self.assertEqual(json.loads((self.path / "own").read_text())["patience"], 7.0)

    def test_a_claim_that_was_just_taken_over_is_not_taken_over_again(self) -> None:
        claim = self.path / "claim"
        claim.write_text(json.dumps({"token": "gone", "place": "elsewhere", "process": 1, "started": "1"}))
        first, second = Claims(), Claims()
        stale = Claims._stale

        def judge(claims: Claims, path: Path) -> str | None:
            if claims is first:
                return "gone"
            # Both find that it is stale, and the first one is faster.
            self.assertTrue(first.take(claim))
            return "gone"

        with mock.patch.object(Claims, "_stale", judge):
            self.assertFalse(second.take(claim))
        self.assertTrue(first.holds(claim))
        self.assertIsNone(stale(second, claim))

    def test_machines_of_the_same_name_are_told_apart(self) -> None:
        claim = self.path / "claim"
        first, second = Claims(), Claims()
        self.assertTrue(first.take(claim))
        taken = json.loads(claim.read_text())
        # A process of this number runs on both, but started at another time.
        claim.write_text(json.dumps(taken | {"started": "1", "place": f"{taken['place']} copy"}))
        self.assertFalse(second.take(claim))
        claim.write_text(json.dumps(taken | {"started": "1"}))
        self.assertTrue(second.take(claim))

    def test_the_games_of_all_chunks_are_the_games_of_a_generation(self) -> None:
        for games in range(1, 40):
            for chunk in range(1, 45):
                settings = Settings(games=games, chunk=chunk)
                counts = [settings.games_of_chunk(i) for i in range(1, settings.chunks + 1)]
                self.assertEqual(sum(counts), games)
                self.assertTrue(0 < min(counts) and max(counts) <= chunk)

    def test_the_gate_is_on_the_largest_board(self) -> None:
        self.assertEqual(Settings(sides="4:10,6:2,5").side_of_gate, 6)
        self.assertEqual(Settings(sides="10").side_of_gate, 10)
        self.assertEqual(Settings(sides="4:1,5:3", gate_side=4).side_of_gate, 4)

    def test_a_verdict_follows_the_test_and_else_the_likelier_hypothesis(self) -> None:
        def judged(decision: str, llr: float) -> dict:
            estimate = {"elo": 10.0, "elo_low": -20.0, "elo_high": 40.0}
            results = {"wins": 6, "draws": 1, "losses": 3}
            report = {
                "games": 10,
                "pairings": [{"estimate": estimate, "results": results}],
                "sprt": {"elo0": 0.0, "elo1": 30.0, "llr": llr, "decision": decision},
                "engines": [{"name": "network-2", "faults": {"crash": 2}}, {"name": "network-1", "faults": {}}],
            }
            return verdict(report, "network-2", "network-1")

        self.assertTrue(judged("h1", 3.0)["promoted"])
        self.assertFalse(judged("h0", -3.0)["promoted"])
        self.assertTrue(judged("undecided", 0.2)["promoted"])
        self.assertFalse(judged("undecided", -0.2)["promoted"])
        self.assertEqual(
            judged("undecided", -0.2)["why"],
            "network-2 not promoted, network-1 plays on: +10 [-20, +40] Elo in 10 games against network-1; the games "
            "ran out; a gain of 30 Elo rather than 0 is less likely (LLR -0.20); faults: network-2 2",
        )

    def test_marks_of_an_axis_are_round(self) -> None:
        self.assertEqual(strength.ticks(-130.0, 260.0, 7), [-100.0, 0.0, 100.0, 200.0])
        self.assertEqual(strength.ticks(0, 24, 6), [0.0, 5.0, 10.0, 15.0, 20.0])
        for span in range(1, 3000, 7):
            marks = strength.ticks(-span / 3, span, 6)
            self.assertTrue(2 <= len(marks) <= 6 and 0.0 in marks, (span, marks))

    def test_the_picture_shows_every_network(self) -> None:
        found = [
            {"network": "network-0", "games": 0, "rating": -300.0, "error": 60.0},
            {"network": "network-1", "games": 500, "rating": 120.0, "error": 50.0, "promoted": True, "why": "<1>"},
            {"network": "network-2", "games": 1000, "rating": 90.0, "error": 50.0, "promoted": False, "why": "&"},
        ]
        root = ElementTree.fromstring(strength.picture(found, "Side 5, 1 s a move"))
        space = "{http://www.w3.org/2000/svg}"
        circles = root.findall(f".//{space}circle")
        x, y = ([float(circle.get(name, "")) for circle in circles] for name in ("cx", "cy"))
        self.assertEqual(len(circles), 3)
        self.assertTrue(x[0] < x[1] < x[2] and y[1] < y[2] < y[0])
        self.assertEqual([circle.get("fill") == "#fff" for circle in circles], [False, False, True])
        (line,) = root.findall(f".//{space}polyline")
        points = line.get("points", "").split()
        self.assertEqual(len(points), 2, "networks that were not promoted are not on the line")


if __name__ == "__main__":
    unittest.main()
