"""Workers of Dask that solve jobs."""

from __future__ import annotations

import queue
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

from distributed import Client, Future, KilledWorker

from . import jobs
from .jobs import SolveAnswer, SolveRequest

LOOK_EVERY = 2.0
"""Seconds between two looks at which workers there are."""

MOST_DEATHS = 5
"""The work ends when so many jobs in a row have lost several workers each."""

SENDERS = 8
"""Threads that tell workers to stop."""


@dataclass(frozen=True, slots=True)
class Done:
    """A job that has ended."""

    name: str
    answer: SolveAnswer | None
    """`None` if its worker is gone: the job is to be done again."""


class Pool(Protocol):
    """Where jobs run."""

    def idle(self) -> list[str]:
        """The workers that have nothing to do."""

    def begin(self, worker: str, request: SolveRequest) -> None:
        """Gives a worker a job."""

    def stop(self, name: str) -> None:
        """Ends a job soon; it still has an answer."""

    def wait(self, seconds: float) -> list[Done]:
        """The jobs that have ended; waits for one, at most this long."""


class DaskPool:
    """The workers of a Dask cluster, each with one job at a time. Workers may come and go."""

    def __init__(self, client: Client) -> None:
        """The workers of a client's cluster."""
        self._client = client
        self._ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._running: dict[str, tuple[str, Future]] = {}
        self._busy: set[str] = set()
        self._senders = ThreadPoolExecutor(SENDERS, thread_name_prefix="stop")
        self._workers: list[str] = []
        self._looked = -LOOK_EVERY
        self._deaths = 0

    def workers(self) -> list[str]:
        """The addresses of the workers."""
        if time.monotonic() - self._looked >= LOOK_EVERY:
            self._workers = list(self._client.scheduler_info(n_workers=-1)["workers"])
            self._looked = time.monotonic()
        return self._workers

    def idle(self) -> list[str]:
        """The workers that have nothing to do."""
        return [worker for worker in self.workers() if worker not in self._busy]

    def begin(self, worker: str, request: SolveRequest) -> None:
        """Gives a worker a job. If the worker dies, another one takes it over."""
        future = self._client.submit(
            jobs.solve, request, key=f"malecon-{request.name}", workers=[worker], allow_other_workers=True, pure=False
        )
        self._running[request.name] = (worker, future)
        self._busy.add(worker)
        future.add_done_callback(self._ended.put)

    def stop(self, name: str) -> None:
        """Ends a job soon; it still has an answer."""
        if name in self._running:
            worker, _ = self._running[name]
            # It takes half a minute until the scheduler knows that a machine is gone.
            self._senders.submit(self._client.run, jobs.stop, name, workers=[worker], on_error="ignore")

    def wait(self, seconds: float) -> list[Done]:
        """The jobs that have ended; waits for one, at most this long."""
        ended = []
        try:
            ended.append(self._end(self._ended.get(timeout=seconds)))
            while True:
                ended.append(self._end(self._ended.get_nowait()))
        except queue.Empty:
            return ended

    def _end(self, future: Future) -> Done:
        name = future.key.removeprefix("malecon-")
        worker, _ = self._running.pop(name)
        self._busy.discard(worker)
        if future.status == "finished":
            self._deaths = 0
            answer: Any = future.result()
            return Done(name, answer)
        if future.status == "error" and not isinstance(future.exception(), KilledWorker):
            # An exception of the job itself: another worker would raise it, too.
            future.result()
        if self._client.status != "running":
            raise ConnectionError("the scheduler is gone")
        self._deaths += 1
        if self._deaths >= MOST_DEATHS:
            raise ConnectionError("workers die again and again: have they enough memory for their tables?")
        return Done(name, None)
