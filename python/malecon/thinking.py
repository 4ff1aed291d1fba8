"""A search that runs beside the program: its results as they come, in threads and in asyncio."""

import asyncio
import atexit
import contextlib
import os
import threading
import weakref
from collections.abc import AsyncIterator, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType

from ._engine import RunningSearch
from .results import Analysis

__all__ = ["Thinking"]


_running: "weakref.WeakSet[Thinking]" = weakref.WeakSet()
"""The searches that may not have ended."""


@atexit.register
def _end_all() -> None:
    """Ends all searches: the interpreter must not end while one of their threads is in an evaluator."""
    for thinking in list(_running):
        thinking.stop()
        with contextlib.suppress(Exception):
            thinking.wait()


if hasattr(os, "register_at_fork"):
    # They run in the parent.
    os.register_at_fork(after_in_child=_running.clear)


class Thinking:
    """A search that `Session.think` has started.

    Iterate over it, with `for` or `async for`, to get what it has found so far, five times a second; the last item is
    the final result. `wait()` and `await` return that alone. Leaving a `with` or `async with` block stops the search,
    and so does cancelling a task that waits for it.
    """

    def __init__(self, search: RunningSearch):
        self._search = search
        self._lock = threading.Lock()
        self._latest: Analysis | None = None
        self._is_finished = False
        self._executor: ThreadPoolExecutor | None = None
        _running.add(self)

    @property
    def latest(self) -> Analysis | None:
        """The last result that was taken; `None` if none was taken yet."""
        return self._latest

    def stop(self) -> None:
        """Asks the search to end. It does within a few milliseconds, and its result is what it has found."""
        self._search.stop()

    def wait(self) -> Analysis:
        """Waits for the end of the search and returns its result."""
        while self._next() is not None:
            pass
        return self._result()

    def __iter__(self) -> Iterator[Analysis]:
        return self

    def __next__(self) -> Analysis:
        found = self._next()
        if found is None:
            raise StopIteration
        return found

    def __enter__(self) -> "Thinking":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def __aiter__(self) -> AsyncIterator[Analysis]:
        return self

    async def __anext__(self) -> Analysis:
        found = await self._next_beside()
        if found is None:
            raise StopAsyncIteration
        return found

    def __await__(self) -> Generator[object, None, Analysis]:
        while (yield from self._next_beside().__await__()) is not None:
            pass
        return self._result()

    async def __aenter__(self) -> "Thinking":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _next(self) -> Analysis | None:
        with self._lock:
            if self._is_finished:
                return None
            # An exception such as that of Ctrl-C does not lose the last result: the next call gives it.
            self._latest, self._is_finished = self._search.next()
            return self._latest

    async def _next_beside(self) -> Analysis | None:
        """What `_next` returns, while the event loop goes on."""
        if self._executor is None:
            # A thread of its own: the threads of the loop may all be waiting for other searches.
            self._executor = ThreadPoolExecutor(1, "malecon")
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._executor, self._next)
        except asyncio.CancelledError:
            self.stop()
            raise
        # Several tasks may wait for the same search: the first one ends the thread.
        if self._is_finished and self._executor is not None:
            self._executor.shutdown(wait=False)
            self._executor = None
        return found

    def _result(self) -> Analysis:
        assert self._latest is not None, "a search that has ended has a result"
        return self._latest
