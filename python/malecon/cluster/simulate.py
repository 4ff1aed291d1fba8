"""What a search would gain from more workers than there are: simulated workers and a simulated clock, real jobs.

Each job is done by the real solver when it begins. As in a real process, the jobs of a machine share a table. The clock
turns the nodes of a job into time, and adds a latency.
"""

from __future__ import annotations

import heapq
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from malecon import Position, Solver
from malecon.results import Color

from .jobs import SolveAnswer, SolveRequest, answer_without_proofs
from .pool import Done
from .search import Settings
from .solve import Work


@dataclass(frozen=True, slots=True)
class Machines:
    """What simulated machines are like."""

    threads: int = 16
    """How many jobs each machine has at a time."""
    memory: int = 64
    """The megabytes of its table."""
    speed: float = 1e6
    """The nodes that a job visits in a second."""
    latency: float = 0.005
    """The seconds that a job takes besides."""


@dataclass(slots=True)
class Running:
    """A job that has begun."""

    worker: str
    request: SolveRequest
    answer: SolveAnswer
    begun: float
    """When it began, by the clock."""
    end: float
    """When it will end."""


class SimulatedPool:
    """Workers with a clock of their own."""

    def __init__(self, workers: int, machines: Machines) -> None:
        """So many workers, on as few machines as possible."""
        self.clock = 0.0
        self.jobs = 0
        self.nodes = 0
        self.seconds = 0.0
        """Processor seconds that the jobs really took."""
        self._machines = machines
        self._idle = [f"machine {i // machines.threads + 1}" for i in range(workers)]
        self._solvers: dict[str, Solver] = {}
        self._running: dict[str, Running] = {}
        self._ends: list[tuple[float, int, str]] = []
        self._numbers = count()

    def idle(self) -> list[str]:
        """The machines that can begin a job; each as often as it can begin jobs."""
        return list(self._idle)

    def begin(self, worker: str, request: SolveRequest) -> None:
        """Gives a worker a job."""
        self._idle.remove(worker)
        self.jobs += 1
        answer = self._answer(worker, request)
        self._running[request.name] = Running(worker, request, answer, self.clock, 0.0)
        self._expect(request.name, self.clock + answer.found.nodes / self._machines.speed)

    def stop(self, name: str) -> None:
        """Ends a job soon. If it would not have found the value, it divides its position now. What it would have done later
        stays in the table of its machine."""
        job = self._running[name]
        visited = int((self.clock - job.begun) * self._machines.speed)
        if job.answer.found.value is not None or visited >= job.answer.found.nodes:
            return
        looked = self._answer(job.worker, replace(job.request, nodes=1, divide=True))
        job.answer = replace(looked, found=replace(looked.found, nodes=visited + looked.found.nodes))
        self._expect(name, self.clock + looked.found.nodes / self._machines.speed)

    def wait(self, seconds: float) -> list[Done]:
        """The next job that ends; the clock moves on to its end."""
        while self._ends:
            end, _, name = heapq.heappop(self._ends)
            job = self._running.get(name)
            if job is not None and job.end == end:
                self.clock = end
                del self._running[name]
                self._idle.append(job.worker)
                self.nodes += job.answer.found.nodes
                return [Done(name, job.answer)]
        raise RuntimeError("all workers wait, and no job is running")

    def _expect(self, name: str, searched: float) -> None:
        """The search of a job ends at this time."""
        self._running[name].end = end = searched + self._machines.latency
        heapq.heappush(self._ends, (end, next(self._numbers), name))

    def _answer(self, worker: str, request: SolveRequest) -> SolveAnswer:
        """What the solver of a machine finds."""
        begun = time.process_time()
        if worker not in self._solvers:
            board = Position.from_string(request.position).shape
            self._solvers[worker] = Solver(board, memory=self._machines.memory)
        answer = answer_without_proofs(self._solvers[worker], request)
        self.seconds += time.process_time() - begun
        return answer


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
    """How many times as fast they were as one solver that finds the values of one position after another."""
    share: float
    """The nodes as a multiple of those of that one solver."""
    seconds_of_search: float
    """How long the search itself computed, which goes on meanwhile."""


def simulate(
    positions: Iterable[tuple[Position, Color | None]],
    workers: Iterable[int],
    machines: Machines,
    *,
    settings: Settings | None = None,
) -> Iterator[Simulated]:
    """Solves positions on one board with each of these numbers of simulated workers."""
    asked = list(positions)
    alone = nodes_alone(asked, machines)
    for number in workers:
        pool = SimulatedPool(number, machines)
        with tempfile.TemporaryDirectory(prefix="malecon-") as folder:
            begun = time.process_time()
            with closing(Work(pool, asked, Path(folder), settings=settings)) as work:
                work.run()
            computed = time.process_time() - begun - pool.seconds
        speedup = alone / machines.speed / pool.clock
        yield Simulated(number, pool.clock, pool.nodes, pool.jobs, speedup, pool.nodes / alone, computed)


def nodes_alone(positions: list[tuple[Position, Color | None]], machines: Machines) -> int:
    """The nodes that one solver visits for the values of positions, one after another."""
    solver = Solver(positions[0][0].shape, memory=machines.memory)
    for position, _ in positions:
        solver.solve(position)
    return solver.nodes
