"""Command lines: what a value may be, and refusals of one line."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """A parser that refuses a command line in one line, without the usage. Options have their whole names."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, allow_abbrev=False, **more)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message} (see --help)\n")


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """Reads a whole number of this range."""
    expected = f"a whole number, {least} or more" if most is None else f"a whole number from {least} to {most}"

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise _refused(text, expected) from None
        if value < least or (most is not None and value > most):
            raise _refused(text, expected)
        return value

    return read


def number(least: float, most: float = math.inf) -> Callable[[str], float]:
    """Reads a finite number of this range."""
    expected = f"a number, {least:g} or more" if most == math.inf else f"a number from {least:g} to {most:g}"
    return _finite(lambda value: least <= value <= most, expected)


def positive() -> Callable[[str], float]:
    """Reads a finite number above 0."""
    return _finite(lambda value: value > 0.0, "a number above 0")


def _finite(is_allowed: Callable[[float], bool], expected: str) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise _refused(text, expected) from None
        if not math.isfinite(value) or not is_allowed(value):
            raise _refused(text, expected)
        return value

    return read


def _refused(text: str, expected: str) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(f"{text!r} is refused (expected {expected})")
