"""What a search would gain from more workers than there are: simulated workers and a simulated clock, real jobs.

Each job is run once with the real solver, as on a worker that knows nothing of the position, and its length in nodes is
kept in a file. The clock turns nodes into time, and adds a latency to each job.
"""

from __future__ import annotations

import heapq
import json
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from malecon import Position, Solver
from malecon.results import Color

from .jobs import SolveAnswer, SolveRequest, divide
from .journal import from_json, to_json
from .pool import Done
from .search import Settings
from .solve import Work

SLICE_NODES = 1000
"""A simulated job looks this often whether it is to end."""


class Measured:
    """Answers of the solver to jobs, each found once. They are kept in a file, if there is one."""

    def __init__(self, file: Path | None = None, memory: int = 256) -> None:
        """The answers in the file so far. Others are found by a solver with so many megabytes."""
        self._memory = memory
        self._solvers: dict[str, Solver] = {}
        self._known: dict[tuple[str, int, int], SolveAnswer] = {}
        self.seconds = 0.0
        """Processor seconds spent on finding them."""
        self._file = None
        if file is not None:
            for line in file.read_text().splitlines() if file.exists() else []:
                job, answer = json.loads(line)
                self._known[tuple(job)] = from_json(answer)
            self._file = file.open("a")

    def alone(self, text: str) -> int:
        """The nodes that one solver visits to solve a position."""
        return self.answer(text, 0, 0).found.nodes

    def answer(self, text: str, limit: int, easy_nodes: int) -> SolveAnswer:
        """What a solver that knows nothing before finds about a position within so many nodes (0: no limit), and about
        the positions below, if that is not enough and `easy_nodes` is not 0."""
        key = (text, limit, easy_nodes)
        if key not in self._known:
            begun = time.process_time()
            self._known[key] = self._find(Position.from_string(text), limit, easy_nodes)
            self.seconds += time.process_time() - begun
            if self._file is not None:
                self._file.write(json.dumps([key, to_json(self._known[key])]) + "\n")
                self._file.flush()
        return self._known[key]

    def _find(self, position: Position, limit: int, easy_nodes: int) -> SolveAnswer:
        if position.shape not in self._solvers:
            self._solvers[position.shape] = Solver(position.shape, memory=self._memory)
        solver = self._solvers[position.shape]
        solver.clear()
        before = solver.nodes
        found = solver.solve(position, nodes=limit or None)
        below = divide(solver, position, easy_nodes) if found.value is None and easy_nodes else []
        return SolveAnswer(replace(found, nodes=solver.nodes - before), below)


class SimulatedPool:
    """Workers with a clock of their own."""

    def __init__(self, workers: int, measured: Measured, *, speed: float, latency: float) -> None:
        """So many workers, which visit `speed` nodes a second; each job takes `latency` seconds more."""
        self.clock = 0.0
        self.jobs = 0
        self.nodes = 0
        self._measured = measured
        self._speed, self._latency = speed, latency
        self._idle = [str(i) for i in range(workers)]
        self._running: dict[str, tuple[float, str, SolveRequest, SolveAnswer]] = {}
        self._ends: list[tuple[float, int, str]] = []
        self._numbers = count()

    def idle(self) -> list[str]:
        """The workers that have nothing to do."""
        return list(self._idle)

    def begin(self, worker: str, request: SolveRequest) -> None:
        """Gives a worker a job."""
        self._idle.remove(worker)
        self._run(worker, request, self.clock)
        self.jobs += 1

    def stop(self, name: str) -> None:
        """Ends a job soon, which divides its position then."""
        begun, worker, request, answer = self._running[name]
        # In whole slices, so that measured jobs occur again.
        visited = (int((self.clock - begun) * self._speed) // SLICE_NODES + 1) * SLICE_NODES
        if visited < answer.found.nodes:
            self._run(worker, replace(request, nodes=visited, divide=True), begun)

    def _run(self, worker: str, request: SolveRequest, begun: float) -> None:
        answer = self._measured.answer(request.position, request.nodes, request.easy_nodes if request.divide else 0)
        self._running[request.name] = (begun, worker, request, answer)
        end = max(self.clock, begun + answer.found.nodes / self._speed) + self._latency
        heapq.heappush(self._ends, (end, next(self._numbers), request.name))

    def wait(self, seconds: float) -> list[Done]:
        """The next job that ends; the clock moves on to its end."""
        while self._ends:
            end, _, name = heapq.heappop(self._ends)
            if name in self._running:
                self.clock = end
                _, worker, _, answer = self._running.pop(name)
                self._idle.append(worker)
                self.nodes += answer.found.nodes
                return [Done(name, answer)]
        raise RuntimeError("all workers wait, and no job is running")


@dataclass(frozen=True, slots=True)
class Simulated:
    """How a number of workers fared."""

    workers: int
    """How many there were."""
    seconds: float
    """How long they took, by their clock."""
    nodes: int
    """The nodes that they visited."""
    jobs: int
    """The jobs that they did."""
    speedup: float
    """How many times as fast they were as one solver that works on one position after another."""
    share: float
    """The nodes as a multiple of those of that one solver."""
    seconds_of_search: float
    """How long the search itself computed, which goes on meanwhile."""


def simulate(
    positions: Iterable[tuple[Position, Color | None]],
    workers: Iterable[int],
    measured: Measured,
    *,
    settings: Settings | None = None,
    speed: float = 1e6,
    latency: float = 0.005,
) -> Iterator[Simulated]:
    """Solves positions with each of these numbers of simulated workers."""
    asked = list(positions)
    alone = sum(measured.alone(position.to_string()) for position, _ in asked)
    for number in workers:
        pool = SimulatedPool(number, measured, speed=speed, latency=latency)
        with tempfile.TemporaryDirectory(prefix="malecon-") as folder:
            begun = time.process_time() - measured.seconds
            with closing(Work(pool, asked, Path(folder), settings=settings)) as work:
                work.run()
            computed = time.process_time() - measured.seconds - begun
        speedup = alone / speed / pool.clock
        yield Simulated(number, pool.clock, pool.nodes, pool.jobs, speedup, pool.nodes / alone, computed)
