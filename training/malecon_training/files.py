"""Files that appear complete, in one step."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


def replace(path: Path, content: bytes) -> None:
    """Writes a file. If this fails, or the program is killed meanwhile, the file has its old content.

    The new content is first in a file of the same name with ".new" added. A symbolic link stays, and the file that it
    points to is replaced. A device or a pipe is written to directly. The OSError of a failure names the file.
    """
    with _naming(path):
        if _is_special(path):
            path.write_bytes(content)
            return
        new = _beside(path)
        try:
            # Not what a link of this name points to.
            new.unlink(missing_ok=True)
            with new.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            new.replace(path.resolve())
        except BaseException:
            with contextlib.suppress(OSError):
                new.unlink()
            raise


def check(path: Path) -> None:
    """Raises the OSError that `replace` would raise, as far as it is known before there is any content."""
    with _naming(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not _is_special(path):
            # Another program may be writing the file that has the new content.
            tempfile.TemporaryFile(dir=path.resolve().parent).close()


def check_directory(path: Path) -> None:
    """Makes a directory if there is none. Raises OSError if no file can be written there."""
    path.mkdir(parents=True, exist_ok=True)
    check(path / "trial")


def _is_special(path: Path) -> bool:
    """Whether there is a device or a pipe."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _beside(path: Path) -> Path:
    """The file that has the new content of this one until it is complete."""
    target = path.resolve()
    return target.with_name(f"{target.name}.new")


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Errors name this file, not the one beside it."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
