"""The programs that the loop starts. They end when it ends."""

from __future__ import annotations

import ctypes
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


class Failed(Exception):
    """A stage failed. The message is one line."""


class ProgramFailed(Failed):
    """A program failed."""

    def __init__(self, what: str, said: str, log: Path):
        """`said` is the error that it printed."""
        super().__init__(f"{what}: {said} (see {log})")
        self.said = said


class Stopped(Exception):
    """The loop was asked to stop."""


_lock = threading.Lock()
_running: set[subprocess.Popen] = set()
_stopped = threading.Event()


def is_stopped() -> bool:
    """Whether `stop` was called."""
    return _stopped.is_set()


def wait(seconds: float) -> None:
    """Waits. Raises `Stopped` as soon as `stop` is called."""
    if _stopped.wait(seconds):
        raise Stopped


def stop() -> None:
    """Asks all running programs to end, and lets no other one start."""
    _stopped.set()
    with _lock:
        for program in _running:
            _signal(program, signal.SIGTERM)


def _signal(program: subprocess.Popen, number: int) -> None:
    try:
        os.killpg(program.pid, number)
    except ProcessLookupError:
        pass


def _with_parent() -> Callable[[], None] | None:
    """What a new process calls so that it is killed when this one dies, even by kill -9. Only Linux can do this."""
    if not sys.platform.startswith("linux"):
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def end_with_parent() -> None:
        prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)

    return end_with_parent


def run(command: Sequence[object], log: Path, environment: Mapping[str, str] | None = None, reads: bool = False) -> str:
    """Runs a program. What it prints goes to the end of the file `log`; with `reads`, its standard output is returned
    instead.

    Raises ProgramFailed if it fails, Failed if it cannot be started, and Stopped if the loop was stopped.
    """
    words = [str(word) for word in command]
    with log.open("ab") as file:
        file.write(f"$ {shlex.join(words)}\n".encode())
        file.flush()
        start = file.tell()
        with _lock:
            if _stopped.is_set():
                raise Stopped
            try:
                program = subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE if reads else file,
                    stderr=file,
                    env={**os.environ, **(environment or {})},
                    # A Ctrl-C at the terminal is for the loop alone.
                    start_new_session=True,
                    preexec_fn=_with_parent(),
                )
            except OSError as error:
                raise Failed(f"cannot run {words[0]}: {error.strerror}") from error
            _running.add(program)
        try:
            output, _ = program.communicate()
        finally:
            with _lock:
                _running.discard(program)
    if program.returncode == 0:
        return output.decode() if reads else ""
    if _stopped.is_set():
        raise Stopped
    with log.open("rb") as file:
        file.seek(start)
        lines = [line.strip() for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    # A hint may follow the error.
    errors = [line for line in lines if line.startswith("error: ")]
    said = (errors or lines or ["it said nothing"])[-1].removeprefix("error: ")
    how = f"signal {-program.returncode}" if program.returncode < 0 else f"status {program.returncode}"
    name = " ".join(words[:3])
    raise ProgramFailed(f"'{name} …' ended with {how}", said, log)
