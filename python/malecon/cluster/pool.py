"""Workers of Dask that solve jobs."""

from __future__ import annotations

import queue
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from distributed import Client, Future, KilledWorker
from distributed.client import FutureCancelledError

from . import jobs
from .jobs import SolveAnswer, SolveRequest

LOOK_EVERY = 2.0
"""Seconds between two looks at which workers there are."""

KEY = "malecon-"
"""What Dask's names for jobs begin with."""

MOST_DEATHS = 5
"""The work ends when so many workers in a row have died that had a job about the same position."""

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
        """The workers that can begin a job; each as often as it can begin jobs."""

    def begin(self, worker: str, request: SolveRequest) -> None:
        """Gives a worker a job."""

    def stop(self, name: str) -> None:
        """Ends a job soon; it still has an answer."""

    def wait(self, seconds: float) -> list[Done]:
        """The jobs that have ended; waits for one, at most this long."""


class DaskPool:
    """The workers of a Dask cluster, each with as many jobs at a time as it has threads. Workers may come and go."""

    def __init__(self, client: Client) -> None:
        """The workers of a client's cluster."""
        self._client = client
        self._ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._running: dict[str, tuple[str, SolveRequest, Future]] = {}
        self._jobs: Counter[str] = Counter()
        self._senders = ThreadPoolExecutor(SENDERS, thread_name_prefix="stop")
        self._threads: dict[str, int] = {}
        self._looked = -LOOK_EVERY
        self._deaths: Counter[str] = Counter()

    def idle(self) -> list[str]:
        """The addresses of the workers that can begin a job; each as often as it can begin jobs."""
        if time.monotonic() - self._looked >= LOOK_EVERY:
            self._look()
        return [worker for worker, threads in self._threads.items() for _ in range(threads - self._jobs[worker])]

    def begin(self, worker: str, request: SolveRequest) -> None:
        """Gives a worker a job."""
        future = self._client.submit(jobs.solve, request, key=f"{KEY}{request.name}", workers=[worker], pure=False)
        self._running[request.name] = (worker, request, future)
        self._jobs[worker] += 1
        future.add_done_callback(self._ended.put)

    def stop(self, name: str) -> None:
        """Ends a job soon; it still has an answer."""
        if name in self._running:
            worker, _, _ = self._running[name]
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

    def _look(self) -> None:
        """Finds out which workers there are, and ends the jobs of those that are gone. Dask would give them to others
        itself, but not if there is none for the moment."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        self._threads = {address: worker["nthreads"] for address, worker in workers.items()}
        self._looked = time.monotonic()
        for worker, _, future in self._running.values():
            if worker not in self._threads:
                future.cancel()

    def _fetch(self, future: Future, worker: str) -> SolveAnswer | None:
        """The answer of a job that has ended. It is still with the worker, so it is lost if the worker is gone: `None`."""
        patience = LOOK_EVERY
        while True:
            try:
                answer: SolveAnswer = future.result(timeout=patience)
            except (FutureCancelledError, KilledWorker):
                return None
            except TimeoutError:
                self._look()
                if worker not in self._threads:
                    future.cancel()
                    return None
                # A slow network needs more time.
                patience *= 2
            else:
                return answer

    def _end(self, future: Future) -> Done:
        name = future.key.removeprefix(KEY)
        worker, request, _ = self._running.pop(name)
        self._jobs[worker] -= 1
        if future.status == "finished" and (answer := self._fetch(future, worker)) is not None:
            self._deaths.pop(request.position, None)
            return Done(name, answer)
        if future.status == "error" and not isinstance(future.exception(), KilledWorker):
            # An exception of the job itself: another worker would raise it, too.
            future.result()
        if self._client.status != "running":
            raise ConnectionError("the scheduler is gone")
        self._deaths[request.position] += 1
        if self._deaths[request.position] >= MOST_DEATHS:
            raise ConnectionError("workers die again and again: have they enough memory for their tables?")
        return Done(name, None)
