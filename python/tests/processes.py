"""The processes of this machine, as Linux shows them."""

from pathlib import Path


def children_of(process: int) -> list[int]:
    """All processes that a process has started, and those that they have started. It may have ended."""
    try:
        found = [
            int(child)
            for task in Path(f"/proc/{process}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except (FileNotFoundError, ProcessLookupError):
        return []
    return found + [below for child in found for below in children_of(child)]


def workers_of(process: int) -> list[int]:
    """The worker processes that a command of the cluster has started."""
    return [child for child in children_of(process) if b"spawn_main" in arguments_of(child)]


def arguments_of(process: int) -> bytes:
    """The command line of a process, which may have ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def is_alive(process: int) -> bool:
    """Whether a process exists that has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
