"""Plays, trains and gates one generation of networks after another, in a folder that several machines may share."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import shutil
import signal
import sys
import threading
import time
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from ..options import Parser, number, whole
from . import generation, programs, strength
from .chunks import Players
from .claims import Claims, is_elsewhere, owner
from .folder import Folder, Settings, agree
from .programs import Failed, Stopped


def arguments() -> argparse.Namespace:
    parser = Parser(
        prog="malecon_training.loop",
        description=__doc__,
        epilog="An interrupted loop is continued by the same command, or by --folder and --malecon alone.",
    )
    add = parser.add_argument
    add("--folder", type=Path, required=True, metavar="DIR", help="the folder of the loop")
    add("--malecon", default="malecon", metavar="PATH", help="the engine [%(default)s]")
    add(
        "--generations",
        type=whole(1),
        metavar="N",
        help="go on until there are N generations [as many as were to be before, or 3]",
    )
    add("--worker", action="store_true", help="only play games for the loop of the folder, until it is done")
    add(
        "--threads",
        type=whole(1),
        default=os.cpu_count(),
        metavar="N",
        help="games at a time, threads of the trainer [all]",
    )
    add("--python", default=sys.executable, metavar="PATH", help="a Python with PyTorch, for training [this one]")
    add(
        "--patience",
        type=number(1),
        default=120.0,
        metavar="S",
        help="seconds until the work of a silent machine is taken over [%(default)s]",
    )
    add("--start", type=Path, metavar="FILE", help="the first network [one with random weights]")
    title, text = "what games and networks depend on", "A loop that has begun refuses other values."
    fixed = parser.add_argument_group(title, text)
    for setting in fields(Settings):
        if "help" in setting.metadata:
            text, default = setting.metadata["help"], setting.default
            text += "" if default in (None, "") else f" [{default}]"
            option = "--" + setting.name.replace("_", "-")
            fixed.add_argument(option, type=setting.metadata["type"], metavar=setting.metadata["metavar"], help=text)
    return parser.parse_args()


def program(malecon: str) -> str:
    """The version of the engine, and its signature: what it plays depends on them."""
    lines = programs.run([malecon, "--version"], Path(os.devnull), reads=True).splitlines()
    return ", ".join(line for line in lines if not line.startswith("commit"))


def given(chosen: argparse.Namespace, malecon: str) -> dict[str, Any]:
    """The settings of the command line; None where there is none."""
    values = {setting.name: getattr(chosen, setting.name, None) for setting in fields(Settings)}
    if chosen.start is not None:
        try:
            values["start"] = hashlib.sha256(chosen.start.read_bytes()).hexdigest()
        except OSError as error:
            raise Failed(f"{chosen.start}: {error.strerror}") from error
    return {**values, "program": program(malecon)}


def say(folder: Folder, text: str) -> None:
    """Prints a line about the progress, and keeps it."""
    print(text, file=sys.stderr, flush=True)
    with folder.log.open("a") as file:
        file.write(text + "\n")


def work(chosen: argparse.Namespace, folder: Folder, malecon: str, claims: Claims) -> None:
    """Plays games for the loop of another process, until the last generation ends."""
    values = given(chosen, malecon)
    waits = False
    while (settings := folder.settings()) is None:
        if not waits:
            print(f"waiting for a loop in {folder.path}", file=sys.stderr, flush=True)
        waits = True
        programs.wait(2.0)
    agree(folder, settings, values)
    players = Players(malecon, folder, settings, claims, chosen.threads)
    played = 0
    while not folder.is_done():
        number = folder.finished() + 1
        if folder.plan(number) is None or not players.missing(number):
            programs.wait(1.0)
            continue
        here = players.play(number, lambda _: None)
        played += here
        print(f"generation {number}: {here} games played here", file=sys.stderr, flush=True)
    print(f"{played} games played")


def take(claims: Claims, claim: Path, folder: Folder) -> None:
    """Takes the claim of the loop. That of another machine is taken over once it was not touched for long enough."""
    # Its owner touches it several times in that time.
    end = time.monotonic() + 1.25 * claims.patience_with(claim)
    waits = False
    while not claims.take(claim):
        if not is_elsewhere(claim) or time.monotonic() > end:
            raise Failed(f"{owner(claim)} already leads the loop of {folder.path} (--worker plays games for it)")
        if not waits:
            print(f"{owner(claim)} has led the loop: waiting for a sign of it", file=sys.stderr, flush=True)
        waits = True
        programs.wait(min(1.0, claims.patience / 10))


def lead(chosen: argparse.Namespace, folder: Folder, malecon: str, claims: Claims) -> None:
    """Runs the loop."""
    values = given(chosen, malecon)
    claim = folder.path / "loop.claim"
    folder.path.mkdir(parents=True, exist_ok=True)
    take(claims, claim, folder)
    try:
        for left in folder.path.glob("loop.claim.*"):
            left.unlink(missing_ok=True)
        trainer = generation.Trainer(chosen.python, chosen.threads)
        settings = folder.settings()
        if settings is None:
            settings = replace(Settings(), **{name: value for name, value in values.items() if value is not None})
            generation.begin(folder, settings, malecon, trainer, chosen.start)
        agree(folder, settings, values)
        generations = chosen.generations or folder.aimed() or 3
        folder.aim(generations)
        players = Players(malecon, folder, settings, claims, chosen.threads)
        has_claim = lambda: claims.holds(claim)  # noqa: E731
        loop = generation.Loop(folder, settings, malecon, trainer, players, has_claim, lambda text: say(folder, text))
        loop.run(generations)
        print(strength.table(folder), end="")
    finally:
        claims.release(claim)
        if not folder.settings_file.exists():
            # The folder of a loop that did not begin, if there is nothing else in it.
            with contextlib.suppress(OSError):
                folder.path.rmdir()


def run(chosen: argparse.Namespace) -> int:
    """Does what is asked for, and returns the exit status."""
    folder = Folder(chosen.folder)
    try:
        malecon = shutil.which(chosen.malecon)
        if malecon is None:
            raise Failed(f"cannot find the engine {chosen.malecon} (name it with --malecon)")
        (work if chosen.worker else lead)(chosen, folder, str(Path(malecon).resolve()), Claims(chosen.patience))
        return 0
    except Stopped:
        print(f"stopped; the same command goes on with {chosen.folder}", file=sys.stderr)
        return 130
    except Failed as failure:
        print(f"error: {failure}", file=sys.stderr)
    except OSError as error:
        print(f"error: {error.filename or chosen.folder}: {error.strerror}", file=sys.stderr)
    return 1


def main() -> None:
    chosen = arguments()
    asked = 0

    def end(number: int, _: object) -> None:
        nonlocal asked
        asked += 1
        if asked > 1:
            os._exit(128 + number)
        # A handler must not wait for a lock that the thread below it may have.
        threading.Thread(target=programs.stop).start()

    for each in (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        signal.signal(each, end)
    sys.exit(run(chosen))


main()
