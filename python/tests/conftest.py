"""Signals, which several tests send to their own process."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest


@pytest.fixture(autouse=True)
def _usual_signals() -> Iterator[None]:
    """Ctrl-C raises `KeyboardInterrupt` in each test, also where a shell lets programs in the background ignore it. No
    test leaves handlers of its own to the next one: those of a notebook that did not start would catch all signals."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def ctrl_c_after() -> Callable[[float], AbstractContextManager[None]]:
    """A block that Ctrl-C ends after this many seconds. It comes in the block, however late the block begins."""

    @contextmanager
    def block(seconds: float) -> Iterator[None]:
        with pytest.raises(KeyboardInterrupt):
            threading.Timer(seconds, os.kill, [os.getpid(), signal.SIGINT]).start()
            yield

    return block
