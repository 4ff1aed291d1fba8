"""One generation after another: play, export, train, gate, promote."""

from __future__ import annotations

import json
import shlex
import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from .. import files
from . import gate, programs, strength
from .chunks import Players, play_command
from .folder import Folder, Settings
from .programs import Failed, ProgramFailed

TRAINING = Path(__file__).resolve().parent.parent.parent


class Trainer:
    """The trainer, run by a Python that has PyTorch."""

    def __init__(self, python: str, threads: int):
        self.python, self.threads = python, threads

    def run(self, options: list[object], log: Path) -> None:
        """Trains. `log` gets what it prints."""
        command = [self.python, "-m", "malecon_training", *options]
        programs.run(command, log, {"PYTHONPATH": str(TRAINING), "PYTHONUNBUFFERED": "1"})


class Loop:
    """The stages, in order. Only one process at a time may run them; `has_claim` says whether it is this one."""

    def __init__(
        self,
        folder: Folder,
        settings: Settings,
        malecon: str,
        trainer: Trainer,
        players: Players,
        has_claim: Callable[[], bool],
        say: Callable[[str], None],
    ):
        self.folder, self.settings, self.malecon, self.trainer = folder, settings, malecon, trainer
        self.players, self.has_claim, self.say = players, has_claim, say

    def run(self, generations: int) -> None:
        """Goes on until there are this many generations."""
        while (number := self.folder.finished() + 1) <= generations:
            self._generation(number)
        strength.write(self.folder, self.malecon)

    def _generation(self, number: int) -> None:
        plan = self.folder.plan(number)
        if plan is None:
            plan = {"network": self.folder.best()}
            self.folder.write(number, "plan", plan)
        best, candidate = plan["network"], f"network-{number}"
        log = self.folder.generation(number) / "log.txt"
        self._play(number, best)
        self._export(number, best, log)
        self._train(number, best, candidate, log)
        result = self._gate(number, best, candidate, log)
        self._check_claim()
        if result["promoted"]:
            publish(self.folder, candidate)
        self.folder.write(number, "result", result)
        self._say(number, result["why"], None)
        strength.write(self.folder, self.malecon)

    def _check_claim(self) -> None:
        if not self.has_claim():
            raise Failed(f"another process has taken over the loop of {self.folder.path}")

    def _say(self, number: int, what: str, started: float | None) -> None:
        took = "" if started is None else f" in {time.monotonic() - started:.0f} s"
        self.say(f"generation {number}: {what}{took}")

    def _play(self, number: int, best: str) -> None:
        started, games = time.monotonic(), self.settings.games
        if not self.players.missing(number):
            self.players.tidy(number)
            return
        before = self.players.played(number)
        here = self.players.play(number, lambda played: self._say(number, f"{played} of {games} games", None))
        self.players.tidy(number)
        elsewhere = games - before - here
        others = f", {elsewhere} of them by other workers" if elsewhere else ""
        self._say(number, f"{games - before} games played with {best}{others}", started)

    def _export(self, number: int, best: str, log: Path) -> None:
        started, out = time.monotonic(), self.folder.samples(number)
        if out.exists():
            # An export that was killed at its very end leaves this.
            out.with_name(f"{out.name}.lock").unlink(missing_ok=True)
            return
        games = [self.folder.games(number, chunk) for chunk in range(1, self.settings.chunks + 1)]
        command = [self.malecon, "learn", "export", "--games", *games, "--out", out]
        command += ["--network", self.folder.network(best), "--threads", self.players.threads]
        programs.run(command, log)
        self._say(number, "samples exported", started)

    def _train(self, number: int, best: str, candidate: str, log: Path) -> None:
        started = time.monotonic()
        out, checkpoint = self.folder.network(candidate), self.folder.network(candidate, "pt")
        if out.exists():
            return
        # The newest generations that fill the window, the oldest first.
        first = max(1, number - -(-self.settings.window // self.settings.games) + 1)
        samples = [self.folder.samples(i) for i in range(first, number + 1)]
        start = self.folder.network(best, "pt")
        new, new_checkpoint = out.with_suffix(".bin.new"), checkpoint.with_suffix(".pt.new")
        options: list[object] = ["--samples", *samples, "--window", self.settings.window]
        options += ["--start", start if start.exists() else self.folder.network(best)]
        options += ["--steps", self.settings.steps, "--seed", self.settings.seed + number]
        if self.settings.seconds is not None:
            options += ["--seconds", self.settings.seconds]
        options += ["--threads", self.trainer.threads, "--out", new, "--checkpoint", new_checkpoint]
        self.trainer.run([*options, *shlex.split(self.settings.train)], log)
        self._check_claim()
        new_checkpoint.replace(checkpoint)
        # The network comes last: where it is, the training is complete.
        new.replace(out)
        self._say(number, f"{candidate} trained from {best}", started)

    def _gate(self, number: int, best: str, candidate: str, log: Path) -> dict:
        started = time.monotonic()
        networks = {name: self.folder.network(name) for name in (candidate, best)}
        out, games = self.folder.generation(number) / "gate", self.settings.gate_games
        gate.relocate(out, gate.engines(self.malecon, self.settings, number, networks))
        command = gate.command(self.malecon, self.settings, number, networks, games, self.trainer.threads, out)
        report = json.loads(programs.run(command, log, reads=True))
        result = gate.verdict(report, candidate, best)
        self._say(number, f"gate of {report['games']} games played", started)
        played = number * self.settings.games
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return {"generation": number, "games": played, **result, "date": now}


# Options of the trainer that name files of the loop.
OWN_OPTIONS = ("--samples", "--start", "--out", "--checkpoint")


def begin(folder: Folder, settings: Settings, malecon: str, trainer: Trainer, start: Path | None) -> None:
    """Begins a loop: tries the settings, and then writes the first network and the settings."""
    networks, trial = folder.path / "networks", folder.path / "trial"
    for option in shlex.split(settings.train):
        name = option.partition("=")[0]
        if name in OWN_OPTIONS:
            raise Failed(f"--train cannot have {name}, which the loop gives to the trainer")
    shutil.rmtree(trial, ignore_errors=True)
    trial.mkdir()
    try:
        log = trial / "log.txt"
        new = trial / "network.bin"
        if start is None:
            trainer.run(["--config", settings.config, "--seed", settings.seed, "--steps", 0, "--out", new], log)
        else:
            shutil.copyfile(start, new)
        first = start or new
        # No steps and no games: these only try the options, together with those that the loop adds.
        untrained = trial / "untrained.bin"
        trainer.run([*shlex.split(settings.train), "--start", first, "--steps", 0, "--out", untrained], log)
        play = play_command(malecon, settings, 0, first, trial / "games.jsonl")
        programs.run([*play, "--games", 0, "--shard", "1/1"], log)
        programs.run(gate.command(malecon, settings, 0, {"a": first, "b": first}, 0, 1, trial / "gate"), log)
        networks.mkdir(exist_ok=True)
        new.replace(folder.network("network-0"))
    except ProgramFailed as failure:
        raise Failed(failure.said) from failure
    finally:
        shutil.rmtree(trial, ignore_errors=True)
    publish(folder, "network-0")
    folder.begin(settings)


def publish(folder: Folder, name: str) -> None:
    """Makes this network the file `best.bin`."""
    files.replace(folder.path / "best.bin", folder.network(name).read_bytes())
