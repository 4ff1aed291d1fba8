"""Solves positions with many workers, and joins one proof."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from malecon import Position, Proof, Solver
from malecon.results import Color

from .jobs import SolveAnswer, SolveRequest
from .journal import Journal
from .pool import Pool
from .search import Job, Search, Settings, Value

PATIENCE = 0.5
"""Seconds that the work waits for a result before it looks for new workers."""

REPORT_EVERY = 1.0
"""Seconds between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the work is."""

    solved: int
    """How many of the positions are solved."""
    positions: int
    """How many there are."""
    running: int
    """How many jobs are running."""
    divided: int
    """How many positions were divided."""
    nodes: int
    """How many nodes the solvers visited for the answers so far, earlier runs included."""
    nodes_per_second: float
    """How many they visited in each second of this run."""
    proof: float
    """An estimate of what is left: at least so many positions must be settled to answer all questions, the way the
    solver counts them."""
    seconds: float
    """How long this run has taken."""


@dataclass(frozen=True, slots=True)
class Result:
    """The answer for one of the positions."""

    position: Position
    """The position."""
    value: Value | None
    """Who wins, or `"draw"`. It may be `None` if only one player was asked about."""
    wins: bool | None
    """Whether the player who was asked about wins; `None` if nobody was."""
    best: str | None
    """A move that keeps the value, if the player to move does not lose."""


class Work:
    """The work on some positions with a pool of workers: what `solve` does, step by step."""

    def __init__(
        self,
        pool: Pool,
        positions: Iterable[tuple[Position, Color | None]],
        folder: Path,
        *,
        memory: int = 1024,
        settings: Settings | None = None,
    ) -> None:
        """Work that goes on from what is in the folder. `memory` are the megabytes of the table of each worker process."""
        self.pool = pool
        self.memory = memory
        self.journal = Journal(folder)
        self.search = Search(positions, settings)
        self.journal.repeat(self.search)
        self._running: dict[str, Job] = {}
        self._stopped: set[str] = set()
        self._begun = 0
        self._started = time.monotonic()
        self._nodes = 0

    @property
    def is_done(self) -> bool:
        """Whether all positions are solved."""
        return self.search.is_done

    def step(self) -> None:
        """Gives work to idle workers, and takes what the others have found meanwhile."""
        for worker, job in self.search.next_jobs(self.pool.idle()):
            self._begun += 1
            # The time makes the names of another run different.
            name = f"{time.time_ns():x}-{self._begun}"
            self._running[name] = job
            self.pool.begin(worker, self._request(name, job))
        self._stop_jobs()
        if not self._running and self.pool.idle():
            raise RuntimeError("there is no work, but not all positions are solved")
        for done in self.pool.wait(PATIENCE):
            job = self._running.pop(done.name)
            self._stopped.discard(done.name)
            if done.answer is None:
                self.search.give_up(job)
            else:
                self._take(job, done.answer)

    def progress(self) -> Progress:
        """How far the work is."""
        roots = self.search.roots
        seconds = time.monotonic() - self._started
        open_roots = [root for root in roots if not root.is_settled]
        return Progress(
            solved=len(roots) - len(open_roots),
            positions=len(roots),
            running=len(self._running),
            divided=sum(node.children is not None for node in self.search.nodes.values()),
            nodes=sum(node.nodes for node in self.search.nodes.values()),
            nodes_per_second=self._nodes / seconds if seconds > 0 else 0.0,
            proof=sum(root.least for root in open_roots),
            seconds=seconds,
        )

    def results(self) -> list[Result]:
        """The answers, in the order of the positions."""
        return [Result(root.position, root.node.value, root.wins, root.best) for root in self.search.roots]

    def write_proof(self, file: Path) -> Proof:
        """Joins the proofs of all parts to one of all positions that somebody wins. A part that is damaged is left out:
        the solver finds its moves again. Raises `ValueError` if nobody wins any of the positions."""
        claims: dict[int, tuple[Position, Color]] = {}
        for root in self.search.roots:
            value = root.node.value
            if value is not None and value != "draw":
                claims[id(root.node)] = (root.node.position, value)
        if not claims:
            raise ValueError("there is nothing to prove: nobody wins any of the positions")
        parts, moves = self.journal.all_parts(), list(self.search.winning_moves())
        solver = Solver(self.search.roots[0].position.shape, memory=self.memory)
        while True:
            try:
                return solver.prove(file, claims.values(), moves=moves, known=parts)
            except ValueError as error:
                damaged = [part for part in parts if str(error).startswith(f"{part}: ")]
                if not damaged:
                    raise
                parts.remove(damaged[0])

    def run(self, report: Callable[[Progress], None] = lambda progress: None) -> None:
        """Works until all positions are solved. `report` is called about once a second, and at the end."""
        reported = 0.0
        while not self.is_done:
            self.step()
            if time.monotonic() - reported >= REPORT_EVERY:
                report(self.progress())
                reported = time.monotonic()
        report(self.progress())

    def close(self) -> None:
        """Ends the running jobs and closes the folder. What they would have found is not kept."""
        for name in self._running:
            self.pool.stop(name)
        self._running.clear()
        self.journal.close()

    def _request(self, name: str, job: Job) -> SolveRequest:
        settings = self.search.settings
        return SolveRequest(
            name,
            job.node.root.to_string(),
            job.node.position.to_string(),
            job.nodes,
            job.divide,
            settings.easy_nodes,
            self.memory,
            settings.threads,
        )

    def _take(self, job: Job, answer: SolveAnswer) -> None:
        self._nodes += answer.found.nodes
        self.journal.add(job.node.position, answer)
        self.search.finish(job, answer.found, answer.below)
        if job.node.value is not None or job.node.cannot_win:
            self.search.stop_needless(self._running.values())

    def _stop_jobs(self) -> None:
        """Ends jobs that the search wants to end."""
        for name, job in self._running.items():
            if job.is_stopped and name not in self._stopped:
                self._stopped.add(name)
                self.pool.stop(name)


def solve(
    pool: Pool,
    positions: Iterable[tuple[Position, Color | None]],
    folder: Path,
    *,
    memory: int = 1024,
    settings: Settings | None = None,
    proof: Path | None = None,
    report: Callable[[Progress], None] = lambda progress: None,
) -> list[Result]:
    """Solves positions on one board with a pool of workers.

    With a position may stand a player: then only whether this player wins is asked. What is found is kept in `folder`,
    and the same call goes on from there. With `proof`, one proof of all positions that somebody wins is written to this
    file. `report` is called about once a second, and at the end."""
    with closing(Work(pool, positions, folder, memory=memory, settings=settings)) as work:
        work.run(report)
        if proof is not None:
            work.write_proof(proof)
        return work.results()
