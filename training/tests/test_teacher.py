"""Tests of `teacher-and-students.sh`: `python training/tests/test_teacher.py`. Scripts take the parts of the engine and
of the trainer, so neither is needed.
"""

from __future__ import annotations

import lzma
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent / "teacher-and-students.sh"
ENGINE = """#!/bin/sh
echo "$*" >> "$SCRATCH/engine.txt"
echo figures
"""
# There is no graphics card. The training that "fails" names is killed after it has written its checkpoint.
TRAINER = f"""#!{sys.executable}
import os, signal, sys
if sys.argv[1] == "-c":
    sys.exit(1)
options = dict(zip(sys.argv[3:], sys.argv[4:]))
scratch = os.environ["SCRATCH"]
with open(scratch + "/trainings.txt", "a") as file:
    file.write(options["--config"] + "\\n")
with open(options["--checkpoint"], "w") as file:
    file.write("half")
if os.environ.get("FAILS") == options["--config"]:
    os.kill(os.getpid(), signal.SIGKILL)
for name in ("--checkpoint", "--out"):
    if name in options:
        with open(options[name], "w") as file:
            file.write("whole")
"""


class TeacherAndStudents(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.out = self.path / "out"
        for name, text in (("engine", ENGINE), ("python", TRAINER)):
            (self.path / name).write_text(text)
            (self.path / name).chmod(0o755)

    def run_script(self, *more: object, fails: str = "") -> subprocess.CompletedProcess:
        words = [SCRIPT, "--out", self.out, "--malecon", self.path / "engine", "--games", "games.jsonl"]
        words += ["--human", "human.jsonl", "--teacher-config", "1x64", "--students", "1x16 2x16", *more]
        environment = {"PYTHON": str(self.path / "python"), "SCRATCH": str(self.path), "FAILS": fails}
        command = [str(word) for word in words]
        return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)

    def test_files_of_games_may_have_the_same_name(self) -> None:
        for folder in ("one", "other"):
            (self.path / folder).mkdir()
            with lzma.open(self.path / folder / "games.jsonl.xz", "wt") as file:
                file.write(f"{folder}\n")
        reads = '#!/bin/sh\nfor file; do case $file in *games.jsonl) cat "$file" >> "$SCRATCH/read.txt";; esac; done\n'
        (self.path / "engine").write_text(reads)
        games = " ".join(str(self.path / folder / "games.jsonl.xz") for folder in ("one", "other"))
        run = self.run_script("--games", games, "--human", "")
        self.assertEqual((run.returncode, (self.path / "read.txt").read_text()), (0, "one\nother\n"), run.stderr)

    def trainings(self) -> list[str]:
        return (self.path / "trainings.txt").read_text().split()

    def test_what_was_interrupted_is_done_again_and_nothing_else(self) -> None:
        for fails in ("1x64", "2x16"):
            self.assertNotEqual(self.run_script(fails=fails).returncode, 0)
        self.assertEqual(self.trainings(), ["1x64", "1x64", "1x16", "2x16"])
        whole = self.run_script()
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.assertEqual(self.trainings(), ["1x64", "1x64", "1x16", "2x16", "2x16"])
        for name in ("teacher.pt", "1x16.bin", "1x16.pt", "2x16.bin", "2x16.pt"):
            self.assertEqual((self.out / name).read_text(), "whole", name)
        files = {
            "teacher.pt",
            "log.txt",
            *(f"{student}.{end}" for student in ("1x16", "2x16") for end in ("bin", "pt", "txt")),
        }
        self.assertEqual({file.name for file in self.out.iterdir()}, files)
        figures = [line for line in (self.path / "engine.txt").read_text().splitlines() if "learn test" in line]
        self.assertEqual([line.rpartition("/")[2] for line in figures], ["1x16.bin", "2x16.bin"])

    def test_a_teacher_that_is_missing_is_refused_at_once(self) -> None:
        refused = self.run_script("--teacher", self.path / "none.pt")
        self.assertEqual((refused.returncode, refused.stderr), (2, f"there is no teacher {self.path}/none.pt\n"))
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
