"""Commands of the program that are divided into shards, as tasks of Dask: self-play, solving, matches.

All workers must see the folder that the command runs in. A shard is done when its command has ended with status 0; a
file in the folder of the work says so. If the worker of a shard is gone, another one runs the same command again: with
`--resume`, it goes on where the first one ended."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from distributed import Client, Future, KilledWorker, as_completed

LINUX_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Ended:
    """How the command of a shard ended."""

    shard: int
    status: int
    """Its exit status."""
    message: str
    """What it wrote last on stderr."""


_running: dict[int, tuple[str, subprocess.Popen[str]]] = {}
"""The commands that run in this process of a worker, by their process ids, each with the name of its run."""

_stopped: set[str] = set()
"""The runs that are over for this process of a worker."""

STOP_PATIENCE = 10.0
"""Seconds in which the workers are to have heard that a run is over."""


def run_shard(command: list[str], shard: int, folder: str, run: str) -> Ended:
    """Runs the command of a shard in a folder, unless its run is over. If the worker is killed, so is the command."""
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        preexec_fn=_with_parent(),
    ) as process:
        _running[process.pid] = (run, process)
        if run in _stopped:
            process.terminate()
        try:
            _, said = process.communicate()
        finally:
            del _running[process.pid]
    lines = said.strip().splitlines()
    return Ended(shard, process.returncode, lines[-1] if lines else "")


def stop_run(run: str) -> None:
    """Ends the commands of a run in this process of a worker, now and later. What they have written stays."""
    _stopped.add(run)
    for of_run, process in list(_running.values()):
        if of_run == run:
            process.terminate()


def _stop_everywhere(client: Client, futures: list[Future[Ended]], run: str) -> None:
    """Ends a run on all workers that can be reached soon."""

    def stop() -> None:
        # A scheduler that is gone cannot end anything.
        with suppress(Exception):
            client.cancel(futures)
        with suppress(Exception):
            client.run(stop_run, run, on_error="ignore")

    stopping = threading.Thread(target=stop, daemon=True)
    stopping.start()
    stopping.join(STOP_PATIENCE)


def _with_parent() -> Callable[[], None] | None:
    """What a new process calls so that it is killed when this one dies, even by kill -9. Only Linux can do this."""
    if sys.platform != "linux":
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def end_with_parent() -> None:
        prctl(LINUX_PR_SET_PDEATHSIG, signal.SIGKILL)
        # It may have died before.
        if os.getppid() != parent:
            os._exit(1)

    return end_with_parent


def run_shards(
    client: Client,
    command: list[str],
    count: int,
    folder: Path,
    *,
    is_decided: Callable[[], bool] = lambda: False,
    report: Callable[[int], None] = lambda done: None,
) -> list[Ended]:
    """Runs a command for each of `count` shards, as many at once as there are threads of workers. `{}` in a word of the
    command is the number of the shard, from 1, and `{n}` is `count`.

    `folder` keeps which shards are done; those are not run again. After each shard, the work ends if `is_decided`
    returns true. However it ends, shards that still run are ended, too. `report` gets the number of shards that are
    done. Returns the shards that failed. Raises `ValueError` if the folder is for other work.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _check_same(folder / "shards.json", {"count": count, "command": command})
    done = {shard for shard in range(1, count + 1) if _mark(folder, shard).exists()}
    report(len(done))
    if done and is_decided():
        return []
    here = str(Path.cwd())
    run = uuid.uuid4().hex
    futures = [
        client.submit(run_shard, _words(command, shard, count), shard, here, run, pure=False, priority=-shard)
        for shard in range(1, count + 1)
        if shard not in done
    ]
    failed = []
    running = len(futures)
    try:
        for ended in _results(futures):
            running -= 1
            if ended.status != 0:
                failed.append(ended)
                continue
            _mark(folder, ended.shard).touch()
            done.add(ended.shard)
            report(len(done))
            if is_decided():
                break
    finally:
        if running > 0:
            _stop_everywhere(client, futures, run)
    return failed


def sprt_decision(program: str, games: Iterable[Path], bounds: str) -> str:
    """What the sequential test of a match says about the games so far: `"undecided"`, or which hypothesis holds."""
    files = [str(file) for file in games if file.stat().st_size > 0]
    if not files:
        return "undecided"
    merge = [program, "match", "--merge", *files, "--sprt", bounds, "--json"]
    merged = subprocess.run(merge, capture_output=True, text=True, check=False)
    if merged.returncode != 0:
        raise ValueError(merged.stderr.strip())
    decision: str = json.loads(merged.stdout)["sprt"]["decision"]
    return decision


def _results(futures: list[Future[Ended]]) -> Iterable[Ended]:
    for future in as_completed(futures):
        if future.status == "finished":
            yield future.result()
        elif future.status == "error" and isinstance(future.exception(), KilledWorker):
            raise ConnectionError("workers die again and again while they run the command")
        elif future.status == "error":
            future.result()
        else:
            raise ConnectionError("the scheduler is gone")


def _words(command: list[str], shard: int, count: int) -> list[str]:
    return [word.replace("{n}", str(count)).replace("{}", str(shard)) for word in command]


def _check_same(file: Path, work: dict[str, Any]) -> None:
    """Refuses a folder with shards of other work."""
    if not file.exists():
        # In one step: what an interruption leaves is not taken for the work.
        new = file.with_suffix(".new")
        new.write_text(json.dumps(work))
        new.replace(file)
    elif json.loads(file.read_text()) != work:
        raise ValueError(f"{file}: the folder is for another command or number of shards (name another folder)")


def _mark(folder: Path, shard: int) -> Path:
    return folder / f"{shard}.done"
