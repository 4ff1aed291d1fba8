"""Searches beside the program: what they give, in threads and in asyncio, and how they stop."""

import asyncio
import gc
import os
import signal
import threading
import weakref

import pytest

import malecon

# Without being stopped, a search would go on for days.
FOREVER = 1e6


def started(**limits):
    session = malecon.Session(8, seed=1)
    session.play("h8")
    return session, session.think(**limits)


def test_results_come_while_the_search_runs_and_the_last_one_is_the_whole():
    session, thinking = started(seconds=1.0)
    assert thinking.latest is None
    found = list(thinking)
    assert len(found) > 1 and all(isinstance(one, malecon.Analysis) for one in found)
    simulations = [one.simulations for one in found]
    assert simulations == sorted(simulations) and found[0].simulations < found[-1].simulations
    assert found[-1].seconds >= 1.0 > found[0].seconds
    assert all(one.best == one.pv[0] and one.to_move == "black" for one in found)
    assert thinking.latest == thinking.wait() == found[-1] and list(thinking) == []
    assert session.position == malecon.Position(8, moves="h8")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_has_no_part_of_the_search():
    session, thinking = started(seconds=FOREVER)
    next(thinking)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            refused = 0
            for use in (lambda: session.analyze(simulations=2), lambda: next(thinking)):
                try:
                    use()
                except RuntimeError as error:
                    refused += "fork" in str(error)
            del thinking, use
            malecon.Session(4, seed=1).analyze(simulations=2)
            status = 0 if refused == 2 else 1
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    thinking.stop()
    assert os.waitstatus_to_exitcode(status) == 0


def test_it_finds_what_an_analysis_finds():
    _, thinking = started(simulations=200)
    whole = thinking.wait()
    session = malecon.Session(8, seed=1)
    session.play("h8")
    assert whole.moves == session.analyze(simulations=200).moves
    with pytest.raises(ValueError, match="the game is over"):
        session.load("(;FF[4]SZ[3];W[a1];B[c3];W[a2];B[d4];W[a3])")
        session.think()
    with pytest.raises(ValueError, match="invalid simulations 0"):
        session.think(simulations=0)


def test_the_options_give_limits_where_none_are_given():
    session = malecon.Session(5, seed=1, simulations=50)
    assert session.think().wait().simulations == 50


def test_stopping_ends_a_search_with_what_it_has_found():
    _, thinking = started(seconds=FOREVER)
    with thinking:
        for found in thinking:
            if found.simulations >= 20:
                thinking.stop()
    assert thinking.latest is not None and thinking.latest.simulations >= 20 and thinking.latest.best
    _, thinking = started(seconds=FOREVER)
    with thinking:
        next(thinking)
    assert thinking.wait().best, "leaving the block has stopped it"


def test_the_session_can_be_used_while_it_thinks():
    session, thinking = started(seconds=FOREVER)
    session.play("g7")
    assert session.position.moves == ["h8", "g7"]
    assert next(thinking).to_move == "black", "the search goes on about the position in which it began"
    assert session.analyze(simulations=10).to_move == "white"
    assert thinking.wait().to_move == "black", "another search has stopped the first"
    for stops in [lambda: session.new_game(5), lambda: session.set_options(c_puct=1.0), lambda: session.think()]:
        session.new_game(8)
        thinking = session.think(seconds=FOREVER)
        kept = stops()
        assert thinking.wait().best
        del kept


def test_a_search_that_nobody_wants_any_more_stops():
    session, thinking = started(seconds=FOREVER)
    del thinking
    # It has the searcher no longer.
    assert session.genmove(simulations=10) == session.position.moves[-1]


def test_positions_can_be_read_while_another_thread_searches():
    session = malecon.Session(8, seed=1)
    session.play("h8")
    read = []

    def look():
        # The search would have to end before the session is free.
        read.append(session.position.moves)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.2, look).start()
        session.analyze(seconds=FOREVER)
    assert read == [["h8"]]


def test_ctrl_c_ends_the_wait_and_the_block_ends_the_search(ctrl_c_after):
    _, thinking = started(seconds=FOREVER)
    with ctrl_c_after(0.3), thinking:
        for _ in thinking:
            pass
    assert thinking.wait().best


def test_ctrl_c_at_the_end_of_a_search_does_not_lose_its_result():
    is_awaited, interrupt = threading.Event(), [signal.SIGINT]

    def judge(batch):
        is_awaited.wait()
        # Ctrl-C comes in the middle of a search that has only the end to tell.
        if interrupt:
            os.kill(os.getpid(), interrupt.pop())
        return batch.boards * 0.0, [0.5] * len(batch)

    thinking = malecon.Session(8, evaluator=judge, seed=1, threads=1).think(simulations=1)
    with pytest.raises(KeyboardInterrupt):
        is_awaited.set()
        thinking.wait()
    assert thinking.wait() == thinking.wait() == thinking.latest and thinking.latest.simulations == 1


def test_each_wait_for_a_search_that_failed_says_so():
    def judge(batch):
        raise KeyError("no such weights")

    class Caller:
        def wait_for(self, thinking):
            thinking.wait()

    thinking, caller = malecon.Session(8, evaluator=judge, seed=1).think(simulations=5), Caller()
    for error in (KeyError, RuntimeError):
        with pytest.raises(error, match="no such weights"):
            caller.wait_for(thinking)
    # The exception does not keep the frames that it went through.
    caller = weakref.ref(caller)
    gc.collect()
    assert caller() is None


def test_asyncio_gets_results_while_other_tasks_run():
    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.001)
                ticks += 1

        beside = asyncio.create_task(tick())
        session, thinking = started(seconds=FOREVER)
        found = []
        async with thinking:
            async for analysis in thinking:
                found.append(analysis)
                if len(found) == 3:
                    thinking.stop()
        beside.cancel()
        assert len(found) >= 4 and ticks > len(found), "the loop was not blocked"
        assert found[-1] == await thinking
        # More searches at a time than threads of the loop's executor.
        sessions = [malecon.Session(5, seed=seed) for seed in range(40)]
        results = await asyncio.gather(*(session.think(simulations=20) for session in sessions))
        assert [result.simulations for result in results] == [20] * 40

    asyncio.run(main())


def test_several_tasks_wait_for_the_same_search():
    async def main():
        thinking = malecon.Session(5).think(simulations=3000)

        async def progress():
            return [analysis async for analysis in thinking]

        seen, *results = await asyncio.gather(progress(), thinking, thinking)
        assert results == [thinking.latest] * 2 and results[0].simulations >= max(found.simulations for found in seen)
        assert await thinking == results[0]

    asyncio.run(main())


@pytest.mark.parametrize("how", ["await", "async for", "in the block"])
def test_a_cancelled_task_ends_its_search(how):
    async def main():
        session, thinking = started(seconds=FOREVER)

        async def work():
            async with thinking:
                if how == "await":
                    await thinking
                async for _ in thinking:
                    if how == "in the block":
                        await asyncio.sleep(FOREVER)

        task = asyncio.create_task(work())
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await asyncio.wait_for(thinking, 60)).best
        # So does one without a block, and a timeout.
        thinking = session.think(seconds=FOREVER)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(thinking, 0.1)
        assert (await asyncio.wait_for(thinking, 60)).best

    asyncio.run(main())
