"""Claims: files that say who works on something in a shared folder.

A claim is fresh while its owner touches it. Whoever finds one of a process that is no more, or one that was not touched
for a while, takes it over. A process that was only stalled may then go on beside the new owner; so what is claimed must
not suffer from being done twice. Clocks of different machines are not compared.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
import uuid
from pathlib import Path


def _place() -> str:
    """Where process numbers mean the same: the machine since it was started and, in containers, the name space."""
    try:
        # Machines that are copies of each other have the same name.
        start = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        start = f"{uuid.getnode():x}"
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return f"{socket.gethostname()} {start} {space}".strip()


def _started(process: int) -> str | None:
    """When a process of this machine started, in ticks; "" if only its existence is known, None if there is none."""
    try:
        # The name, in parentheses, may contain spaces.
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        # A process that has ended stays in the table until its parent asks for its status.
        return None if state[0] in "ZX" else state[19]
    except (OSError, IndexError):
        pass
    if os.path.exists("/proc/self/stat"):
        return None
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return None
    except OSError:
        pass
    return ""


class Claims:
    """The claims of this process. They are touched until they are released."""

    def __init__(self, patience: float = 120.0):
        """`patience` is how many seconds a claim of another machine may go untouched before it is taken over."""
        self.patience = patience
        self.token = uuid.uuid4().hex
        self._held: set[Path] = set()
        # For claims of others: what was last seen of each, and since when.
        self._seen: dict[Path, tuple[tuple[str, int], float]] = {}
        self._lock = threading.Lock()
        self._touching: threading.Thread | None = None

    def take(self, path: Path) -> bool:
        """Takes a claim, if nobody has it or its owner is gone."""
        with self._lock:
            if path in self._held:
                return False
            if not self._create(path):
                stale = self._stale(path)
                if stale is None:
                    return False
                self._remove(path, stale)
                if not self._create(path):
                    return False
            self._held.add(path)
            if self._touching is None:
                self._touching = threading.Thread(target=self._touch, daemon=True)
                self._touching.start()
            return True

    def holds(self, path: Path) -> bool:
        """Whether the claim is still of this process."""
        return path in self._held and _read(path).get("token") == self.token

    def release(self, path: Path) -> None:
        """Gives a claim back."""
        with self._lock:
            if self.holds(path):
                path.unlink(missing_ok=True)
            self._held.discard(path)

    def _create(self, path: Path) -> bool:
        claim = {"token": self.token, "place": _place(), "process": os.getpid(), "started": _started(os.getpid())}
        claim["patience"] = self.patience
        new = path.with_name(f"{path.name}.{self.token}")
        new.write_text(json.dumps(claim))
        try:
            # Unlike a rename, this fails if the file exists.
            os.link(new, path)
            return True
        except (FileExistsError, FileNotFoundError):
            return False
        finally:
            new.unlink(missing_ok=True)

    def _stale(self, path: Path) -> str | None:
        """The token of a claim whose owner is gone, or None."""
        claim = _read(path)
        token: str = claim.get("token", "")
        if claim.get("place") == _place() and _started(claim["process"]) != claim.get("started"):
            return token
        try:
            now = (token, path.stat().st_mtime_ns)
        except OSError:
            return None
        seen, since = self._seen.get(path, (None, 0.0))
        if seen != now:
            self._seen[path] = (now, time.monotonic())
            return None
        return token if time.monotonic() - since >= self._patience_with(claim) else None

    def patience_with(self, path: Path) -> float:
        """How many seconds this claim of another machine may go untouched."""
        return self._patience_with(_read(path))

    def _patience_with(self, claim: dict) -> float:
        # Its owner may touch it less often than this process would.
        return max(self.patience, claim.get("patience", 0.0))

    def _remove(self, path: Path, stale: str) -> None:
        """Removes the claim with this token, but not the fresh one of a process that was faster."""
        aside = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
        try:
            path.rename(aside)
        except OSError:
            return
        if _read(aside).get("token", "") != stale:
            try:
                os.link(aside, path)
            except OSError:
                pass
        aside.unlink(missing_ok=True)

    def _touch(self) -> None:
        while True:
            time.sleep(self.patience / 8)
            for path in list(self._held):
                try:
                    if self.holds(path):
                        os.utime(path)
                except OSError:
                    # Somebody else may take it over.
                    pass


def is_elsewhere(path: Path) -> bool:
    """Whether the owner of a claim is on another machine, where it may have ended without a sign."""
    return _read(path).get("place", "") != _place()


def owner(path: Path) -> str:
    """The owner of a claim, for messages."""
    claim = _read(path)
    return f"process {claim.get('process', '?')} on {claim.get('place', '?').split(' ')[0]}"


def _read(path: Path) -> dict:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
