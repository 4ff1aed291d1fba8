"""What a worker does. The jobs of a worker process share a table, which lasts as long as the process: each uses what the
others have found, and a job about a position that was worked on before continues where the last one ended."""

from __future__ import annotations

import queue
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from distributed import get_worker

from malecon import Position, Solution, Solver

from .search import Below

SLICE_NODES = 1_000_000
"""After so many nodes for each of its threads, a job looks whether it is still needed: about once a second."""


@dataclass(frozen=True, slots=True)
class SolveRequest:
    """A position to solve, in a form that can be sent."""

    name: str
    """A name of the job, different from all others."""
    root: str
    """A position string: the position from which it follows."""
    position: str
    """A position string."""
    nodes: int
    """How many nodes the solver may visit."""
    divide: bool
    """Whether to divide the position if that is not enough."""
    easy_nodes: int
    """How many nodes it may visit then in each of the positions below."""
    memory: int
    """The megabytes of the table of a worker process."""
    threads: int
    """How many threads of the solver work on it."""


@dataclass(frozen=True, slots=True)
class SolveAnswer:
    """What a worker has found."""

    found: Solution
    """About the position. Its nodes are all that were visited."""
    below: list[Below] = field(default_factory=list)
    """About the positions after each move, if the position was divided."""
    proofs: list[tuple[str, bytes]] = field(default_factory=list)
    """Position strings and files of proofs, of what was solved."""


_lock = threading.Lock()
_solvers: dict[tuple[str, int, int], queue.SimpleQueue[Solver]] = {}
"""By board, megabytes and threads, the solvers of this process that have nothing to do. They share a table."""
_stopped: set[str] = set()


def solve(request: SolveRequest) -> SolveAnswer:
    """Works on a position until it is solved, or the nodes are used up, or `stop` is called with its name."""
    position = Position.from_string(request.position)
    with _free_solver(position.shape, request.memory, request.threads) as solver:
        before = solver.nodes
        answer = answer_without_proofs(solver, request)
        proofs = list(_proofs(solver, position, answer.found, answer.below))
        return replace(answer, found=replace(answer.found, nodes=solver.nodes - before), proofs=proofs)


def answer_without_proofs(solver: Solver, request: SolveRequest) -> SolveAnswer:
    """What a solver finds. `stop` ends this, too."""
    position = Position.from_string(request.position)
    solver.set_root(Position.from_string(request.root))
    before = solver.nodes
    found, is_stopped = _solve_in_slices(solver, position, request)
    below: list[Below] = []
    if found.value is None and (request.divide or is_stopped):
        below = divide(solver, position, request.easy_nodes)
    return SolveAnswer(replace(found, nodes=solver.nodes - before), below)


def divide(solver: Solver, position: Position, nodes: int) -> list[Below]:
    """What a solver that has worked on a position knows about the positions after each move, or finds out with a few
    nodes, in the order in which its network would try the moves."""
    below = []
    for move, weight in solver.order(position):
        after = after_move(position, move)
        found = _ended(after) if after.is_over else solver.solve(after, nodes=nodes)
        below.append(Below(move, weight, found))
    return below


def after_move(position: Position, move: str) -> Position:
    """The position after a move."""
    after = position.copy()
    after.play(move)
    return after


def _ended(position: Position) -> Solution:
    """What is known of a game that is over."""
    return Solution(position.winner or "draw", None, 0, 0.0, None, None, None, [])


def _proofs(solver: Solver, position: Position, found: Solution, below: list[Below]) -> Iterator[tuple[str, bytes]]:
    """Proofs of all that was solved, but for what whoever joins them finds at once. The table has most of their
    moves."""
    solved = [(position, found)]
    solved += [(after_move(position, each.move), each.found) for each in below if each.found.nodes > 0]
    with tempfile.TemporaryDirectory(prefix="malecon-") as folder:
        file = Path(folder) / "part.proof"
        for won, solution in solved:
            if solution.value is not None and solution.value != "draw":
                solver.prove(file, [(won, solution.value)])
                yield won.to_string(), file.read_bytes()


def stop(name: str) -> None:
    """Ends a job soon: its result is no longer needed."""
    _stopped.add(name)


@contextmanager
def _free_solver(board: str, memory: int, threads: int) -> Iterator[Solver]:
    """Lends one of the process's solvers for a board, of which there is one for each job that it has at the same time."""
    key = (board, memory, threads)
    with _lock:
        if key not in _solvers:
            # There is no memory for the table of the work before.
            _solvers.clear()
            free: queue.SimpleQueue[Solver] = queue.SimpleQueue()
            for solver in Solver.several(board, _jobs(), memory=memory, threads=threads):
                free.put(solver)
            _solvers[key] = free
        free = _solvers[key]
    solver = free.get()
    try:
        yield solver
    finally:
        free.put(solver)


def _jobs() -> int:
    """How many jobs this process has at the same time."""
    try:
        return get_worker().state.nthreads
    except ValueError:  # not a process of Dask
        return 1


def _solve_in_slices(solver: Solver, position: Position, request: SolveRequest) -> tuple[Solution, bool]:
    """What is found within the nodes, and whether the work was stopped before."""
    nodes = 0
    while True:
        found = solver.solve(position, nodes=min(SLICE_NODES * request.threads, request.nodes - nodes))
        nodes += found.nodes
        is_stopped = request.name in _stopped
        if found.value is not None or nodes >= request.nodes or is_stopped:
            _stopped.discard(request.name)
            return found, is_stopped
