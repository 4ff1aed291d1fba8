"""The games of a generation, in chunks that any number of workers play."""

from __future__ import annotations

import shlex
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from . import programs
from .claims import Claims
from .folder import Folder, Settings
from .programs import Failed, Stopped

# Seconds between two looks for chunks that became free.
POLL = 1.0
# Seconds between two lines about the progress.
REPORT = 60.0


def play_chunk(malecon: str, folder: str, generation: int, chunk: int) -> int:
    """Plays a chunk of a generation, from where it was interrupted, and returns its number of games.

    It takes plain arguments, so that it can be sent to another machine. A chunk that is played by two at a time gives
    the same games, once: each writes to a file of its own, which gets the name of the chunk when it is complete.
    """
    home = Folder(Path(folder))
    settings, plan = home.settings(), home.plan(generation)
    if settings is None or plan is None:
        raise Failed(f"{folder} has no generation {generation}")
    games = settings.games_of_chunk(chunk)
    done = home.games(generation, chunk)
    if done.exists():
        return games
    done.parent.mkdir(parents=True, exist_ok=True)
    part = _part(done)
    command = play_command(malecon, settings, generation, home.network(plan["network"]), part)
    log = done.parent / f"{done.stem}.log"
    try:
        programs.run([*command, "--games", settings.games, "--shard", f"{chunk}/{settings.chunks}"], log)
        played = part.read_bytes().count(b"\n")
        if played != games:
            raise Failed(f"{part} has {played} games (expected {games})")
        part.replace(done)
    except (Failed, FileNotFoundError):
        # Whoever completes a chunk removes all parts of it, also one that somebody else still writes to.
        if not done.exists():
            raise
    for left in [*done.parent.glob(f"{done.stem}.*.part"), log]:
        left.unlink(missing_ok=True)
    return games


def play_command(malecon: str, settings: Settings, generation: int, network: Path, out: Path) -> list[object]:
    """The command that plays games of a generation, without their number and the shard."""
    command = [malecon, "learn", "play", "--seed", settings.seed + generation, "--network", network, "--threads", 1]
    command += ["--sides", settings.sides, "--simulations", settings.simulations, "--short", settings.short]
    return [*command, *shlex.split(settings.play), "--out", out, "--resume"]


def _part(done: Path) -> Path:
    """A new file for a chunk, with the games that an interrupted worker left: it may still write to its own file."""
    whole = b""
    for left in done.parent.glob(f"{done.stem}.*.part"):
        try:
            content = left.read_bytes()
        except FileNotFoundError:
            continue
        content = content[: content.rfind(b"\n") + 1]
        whole = max(whole, content, key=len)
    part = done.with_name(f"{done.stem}.{uuid.uuid4().hex}.part")
    part.write_bytes(whole)
    return part


class Players:
    """Threads that play the chunks of a generation together with those of other processes."""

    def __init__(self, malecon: str, folder: Folder, settings: Settings, claims: Claims, threads: int):
        self.malecon, self.folder, self.settings = malecon, folder, settings
        self.claims, self.threads = claims, threads

    def missing(self, generation: int) -> list[int]:
        """The chunks that are not complete."""
        chunks = range(1, self.settings.chunks + 1)
        return [chunk for chunk in chunks if not self.folder.games(generation, chunk).exists()]

    def played(self, generation: int) -> int:
        """The games of the chunks that are complete."""
        missing = sum(self.settings.games_of_chunk(chunk) for chunk in self.missing(generation))
        return self.settings.games - missing

    def tidy(self, generation: int) -> None:
        """Removes what killed workers have left, when all chunks are complete."""
        for file in self.folder.games(generation, 1).parent.iterdir():
            if file.suffix != ".jsonl":
                file.unlink(missing_ok=True)

    def play(self, generation: int, report: Callable[[int], None]) -> int:
        """Plays until all chunks are complete, and returns how many games were played here. `report` is told from time
        to time how many games there are."""
        failures: list[BaseException] = []
        counts = [0] * self.threads

        def work(thread: int) -> None:
            try:
                while not failures and (missing := self.missing(generation)):
                    chunk = next((chunk for chunk in missing if self._take(generation, chunk)), None)
                    if chunk is None:
                        programs.wait(POLL)
                        continue
                    try:
                        counts[thread] += play_chunk(self.malecon, str(self.folder.path), generation, chunk)
                    finally:
                        self.claims.release(self._claim(generation, chunk))
            except BaseException as failure:  # noqa: BLE001 (it is raised in the caller's thread)
                failures.append(failure)

        threads = [threading.Thread(target=work, args=(thread,)) for thread in range(self.threads)]
        for thread in threads:
            thread.start()
        reported = time.monotonic()
        for thread in threads:
            while thread.is_alive():
                thread.join(POLL)
                if time.monotonic() - reported >= REPORT and not programs.is_stopped():
                    report(self.played(generation))
                    reported = time.monotonic()
        for failure in failures:
            # The first one; but that the loop was stopped says less than any other.
            if not isinstance(failure, Stopped):
                raise failure
        if failures:
            raise failures[0]
        return sum(counts)

    def _claim(self, generation: int, chunk: int) -> Path:
        return self.folder.games(generation, chunk).with_suffix(".claim")

    def _take(self, generation: int, chunk: int) -> bool:
        """Takes a chunk, unless another one has it or has just completed it."""
        claim = self._claim(generation, chunk)
        claim.parent.mkdir(parents=True, exist_ok=True)
        if not self.claims.take(claim):
            return False
        if self.folder.games(generation, chunk).exists():
            self.claims.release(claim)
            return False
        return True
