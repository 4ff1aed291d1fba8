"""The folder of a search: what was found so far, so that nothing is lost when the program, the scheduler or a worker is
killed.

| name | contents |
|---|---|
| `journal.jsonl` | the board, and then the results of jobs in their order: one JSON object a line |
| `parts/` | proofs of single positions, which the proof of the whole is joined from |
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from malecon import Position, Solution

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from .jobs import SolveAnswer
from .search import Below, Search


class Journal:
    """The folder of a search."""

    def __init__(self, folder: Path) -> None:
        """Opens the folder, or makes it. A line that was torn by a kill is removed. Raises `ValueError` if another
        process works in the folder."""
        self.parts = folder / "parts"
        self.parts.mkdir(parents=True, exist_ok=True)
        self._path = folder / "journal.jsonl"
        self._file = self._path.open("ab")
        _lock(self._file, folder)
        content = self._path.read_bytes()
        whole = content.rfind(b"\n") + 1
        self._lines = content[:whole].splitlines()
        if whole < len(content):
            self._file.truncate(whole)

    def repeat(self, search: Search) -> None:
        """Tells a search what earlier runs found. Raises `ValueError` if the folder is that of another board."""
        shape = search.roots[0].position.shape
        if not self._lines:
            self._add({"board": shape})
        for number, line in enumerate(self._lines, 1):
            try:
                self._repeat_line(search, shape, json.loads(line))
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{self._path}:{number}: {error}") from error
        self._lines = []

    def _repeat_line(self, search: Search, shape: str, line: dict[str, Any]) -> None:
        if "board" in line:
            if line["board"] != shape:
                raise ValueError(f"the folder is for board {line['board']}, not {shape} (name another folder)")
            return
        position, answer = Position.from_string(line.pop("position")), from_json(line)
        search.learn(position, answer.found, answer.below)

    def add(self, position: Position, answer: SolveAnswer) -> None:
        """Keeps what a job has found, and its proofs."""
        for proven, proof in answer.proofs:
            path = self.part(Position.from_string(proven))
            unfinished = path.with_suffix(".tmp")
            with unfinished.open("wb") as file:
                file.write(proof)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(path)
        self._add({"position": position.to_string(), **to_json(answer)})

    def part(self, position: Position) -> Path:
        """The file of the proof of a single position."""
        name = hashlib.sha256(position.key(symmetric=True)).hexdigest()[:32]
        return self.parts / f"{name}.proof"

    def all_parts(self) -> list[Path]:
        """The files of all proofs of single positions."""
        return sorted(self.parts.glob("*.proof"))

    def close(self) -> None:
        """Closes the folder."""
        self._file.close()

    def _add(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def to_json(answer: SolveAnswer) -> dict[str, Any]:
    """An answer without its proofs, and without the order of moves, which the search does not need."""
    fields = {**asdict(answer.found), "order": []}
    if answer.below:
        fields["below"] = [_to_list(each) for each in answer.below]
    return fields


def from_json(fields: dict[str, Any]) -> SolveAnswer:
    """What `to_json` has written."""
    below = [_from_list(*each) for each in fields.pop("below", [])]
    return SolveAnswer(Solution(**fields), below)


def _to_list(below: Below) -> list[Any]:
    """What was found about the position after a move. There are many, so the names are left out."""
    found = below.found
    return [below.move, below.weight, found.value, found.best, found.nodes, found.player, found.proof, found.disproof]


def _from_list(move: str, weight: float, *fields: Any) -> Below:
    """What `_to_list` has written."""
    value, best, nodes, player, proof, disproof = fields
    return Below(move, weight, Solution(value, best, nodes, 0.0, player, proof, disproof, []))


def _lock(file: BinaryIO, folder: Path) -> None:
    """Keeps other processes out of the folder, where the system can do that."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ValueError(f"{folder}: another process works in this folder") from None
