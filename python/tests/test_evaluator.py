"""Searches with a function of the user's in place of the network."""

import gc
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import malecon


class Recorder:
    """An evaluator that answers as the built-in network does, or as it is told to, and counts."""

    def __init__(self):
        self.sizes, self.threads = [], set()

    def __call__(self, batch):
        self.sizes.append(len(batch))
        self.threads.add(threading.get_ident())
        policy, value = malecon.evaluate(batch.positions())
        return np.log(np.maximum(policy, 1e-9)), value


def uniform(batch):
    return np.zeros_like(batch.boards, np.float32), np.full(len(batch), 0.5)


OPTIONS = {"seed": 1, "leaf_playouts": 0, "threat_search_nodes": 0, "pair_threats": False}


def test_a_search_asks_the_evaluator_and_finds_what_the_network_finds():
    recorder = Recorder()
    mine = malecon.Session(5, evaluator=recorder, **OPTIONS).analyze(simulations=400)
    network = malecon.Session(5, **OPTIONS).analyze(simulations=400)
    assert sum(recorder.sizes) > 300 and max(recorder.sizes) == 1
    # Only the symmetries and the last two moves, which the evaluator does not see, are different.
    assert abs(mine.win_rate - network.win_rate) < 0.1
    best = {m.move: m.visits for m in network.moves}
    assert best[mine.best] > 0.2 * max(best.values())


def test_many_threads_share_a_call():
    recorder = Recorder()
    session = malecon.Session(6, evaluator=recorder, threads=8, **OPTIONS)
    found = session.analyze(simulations=800)
    assert found.simulations >= 800 and max(recorder.sizes) == 8
    assert sum(recorder.sizes) > 3 * len(recorder.sizes), recorder.sizes
    assert len(recorder.threads) > 1
    assert session.genmove(simulations=50) in session.position.vertices


def test_a_batch_has_arrays_and_positions_of_the_same_positions():
    seen = []

    def check(batch):
        positions, boards, features = batch.positions(), batch.boards, batch.features()
        assert batch.side == 4 and len(positions) == len(batch) == len(boards) == len(features) == len(batch.to_move)
        assert boards.dtype == np.int8 and features.shape == (*boards.shape, malecon.FEATURES)
        for position, board, vertices, color in zip(positions, boards, features, batch.to_move, strict=True):
            assert position.to_move == color and not position.is_over
            assert np.array_equal(position.board * (1 if color == "white" else -1), board)
            # The evaluator sees the last stones in the features only.
            recent = [17, 18]
            assert np.array_equal(np.delete(position.features(), recent, 1), np.delete(vertices, recent, 1))
            seen.append(position.to_string())
        return uniform(batch)

    session = malecon.Session(4, evaluator=check, threads=3, solver_rate=0, solved_positions=False, **OPTIONS)
    session.play("d4")
    session.analyze(simulations=200)
    assert len(set(seen)) > 100 and seen[0] == session.position.to_string()


def test_a_review_does_not_suffer_from_an_earlier_failure():
    failing, asked = threading.Event(), []

    def fails_once(batch):
        if not failing.is_set():
            failing.set()
            raise RuntimeError("out of order")
        asked.append(len(batch))
        return uniform(batch)

    session = malecon.Session(5, evaluator=fails_once, **OPTIONS)
    session.play("e5")
    with session.think(simulations=50):
        assert failing.wait(60)
    review = session.review(simulations=10)
    assert len(review["positions"]) == 2 and len(asked) > 10


def test_options_that_are_set_leave_the_evaluator():
    recorder = Recorder()
    session = malecon.Session(5, evaluator=recorder, **OPTIONS)
    session.set_options(**session.options)
    session.analyze(simulations=50)
    assert sum(recorder.sizes) > 20


SCRIPT = """
import time
import malecon
import numpy as np

def evaluator(batch):
    time.sleep(0.02)
    return np.zeros_like(batch.boards, np.float32), np.full(len(batch), 0.5)

session = malecon.Session(6, seed=1, evaluator=evaluator, threads=8)
thinking = session.think(seconds=1000)
next(thinking)
print("end")
"""


def test_a_script_may_end_while_an_evaluator_is_called():
    for _ in range(3):
        ended = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=120)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "end\n", "")


def test_an_evaluator_decides_which_moves_are_searched():
    target = malecon.Position(6).vertices.index("c4")

    def likes_one_vertex(batch):
        policy = np.zeros_like(batch.boards, np.float32)
        policy[:, target] = 9
        return policy, [0.5] * len(batch)

    found = malecon.Session(6, evaluator=likes_one_vertex, threads=2, **OPTIONS).analyze(simulations=100)
    assert found.best == "c4" and found.moves[0].prior > 0.9


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda n: (np.zeros((n, 36)), np.zeros(n)), "a policy of shape [1, 36] (expected [1, 37])"),
        (lambda n: (np.zeros((n, 37)), np.zeros((n, 1))), "a value of shape [1, 1] (expected [1])"),
        (lambda n: (np.zeros((n, 37)), [1.5] * n), "returned the value 1.5 (expected 0 to 1)"),
        (lambda n: (np.zeros((n, 37)), [np.nan] * n), "returned the value NaN"),
        (lambda n: (np.full((n, 37), -np.inf), [0.5] * n), "a logit that is not finite"),
        (lambda n: np.zeros((n, 37)), "has to return a pair: policy, value"),
    ],
)
def test_a_wrong_answer_ends_the_search(returned, message):
    session = malecon.Session(4, evaluator=lambda batch: returned(len(batch)), **OPTIONS)
    with pytest.raises(ValueError) as raised:
        session.analyze(simulations=100)
    assert message in str(raised.value)


def test_an_evaluator_has_to_be_a_function():
    with pytest.raises(TypeError, match=r"the evaluator has the type int \(expected a function\)"):
        malecon.Session(4, evaluator=5)


def breakable():
    """An evaluator, and what makes it raise an exception."""
    broken = threading.Event()

    def evaluator(batch):
        if broken.is_set():
            raise KeyError("no such weights")
        return uniform(batch)

    return evaluator, broken


def test_an_exception_of_the_evaluator_is_raised_by_the_search_and_the_session_goes_on():
    evaluator, broken = breakable()
    session = malecon.Session(5, evaluator=evaluator, threads=4, **OPTIONS)
    session.play("e5")
    broken.set()
    for search in (
        lambda: session.analyze(simulations=100),
        lambda: session.genmove(simulations=100),
        lambda: session.think(simulations=100).wait(),
        lambda: session.review(simulations=20),
    ):
        with pytest.raises(KeyError, match="no such weights"):
            search()
    assert session.position.moves == ["e5"]
    session.think(simulations=100)
    broken.clear()
    assert session.analyze(simulations=100).simulations >= 100


def test_a_background_search_with_an_evaluator_is_stopped_by_whatever_replaces_it():
    session = malecon.Session(6, evaluator=uniform, threads=2, **OPTIONS)
    for replace in (
        lambda: None,
        lambda: session.new_game(5),
        lambda: session.set_position("4/5/6/7/6/5/4 w"),
        lambda: session.load("(;SZ[5];W[e5])"),
        lambda: session.set_options(c_puct=0.9),
        lambda: session.analyze(simulations=10),
        lambda: session.think(simulations=10).wait(),
    ):
        thinking = session.think(seconds=600)
        next(thinking)
        replace()
        del thinking
    assert session.position.moves == ["e5"]


@pytest.mark.parametrize("call", ["analyze", "genmove", "review", "think"])
def test_exceptions_are_raised_by_their_searches_alone(call):
    is_asked, may_fail = threading.Event(), threading.Event()

    def evaluator(batch):
        if not is_asked.is_set():
            is_asked.set()
            may_fail.wait()
            raise KeyError("no such weights")
        return uniform(batch)

    session = malecon.Session(5, evaluator=evaluator, **OPTIONS)
    session.load("(;SZ[5];W[e5];B[d4])")
    replaced = session.think(simulations=100)
    is_asked.wait()
    threading.Timer(0.2, may_fail.set).start()
    found = getattr(session, call)(simulations=20)
    assert (found.wait() if call == "think" else found) is not None
    with pytest.raises(KeyError, match="no such weights"):
        replaced.wait()


def test_a_search_that_was_replaced_does_not_take_the_exception_of_the_next_one():
    evaluator, broken = breakable()
    session = malecon.Session(5, evaluator=evaluator, **OPTIONS)
    first = session.think(seconds=600)
    next(first)
    second = session.think(seconds=600)
    broken.set()
    assert first.wait().best
    with pytest.raises(KeyError, match="no such weights"):
        second.wait()


def test_an_evaluator_cannot_use_the_session_that_waits_for_it():
    def evaluator(batch):
        session.play("a1")
        return uniform(batch)

    session = malecon.Session(4, evaluator=evaluator, **OPTIONS)
    with pytest.raises(RuntimeError, match="the session is busy"):
        session.analyze(simulations=10)
    assert session.position.moves == []


def test_a_background_search_with_an_evaluator_streams_and_stops():
    def slow(batch):
        time.sleep(0.002)
        return uniform(batch)

    with malecon.Session(6, evaluator=slow, threads=4, **OPTIONS).think(seconds=60) as thinking:
        results = [next(thinking), next(thinking)]
    assert results[0].simulations < results[1].simulations < thinking.wait().simulations + 1


def test_a_network_of_pytorch_judges_batches():
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(malecon.FEATURES, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))

    def evaluator(batch):
        with torch.inference_mode():
            policy, value = model(torch.from_numpy(batch.features())).unbind(-1)
            return policy, value.mean(1).sigmoid()

    found = malecon.Session(5, evaluator=evaluator, threads=8, **OPTIONS).analyze(simulations=200)
    assert found.simulations >= 200 and 0 < found.win_rate < 1


class Agent:
    """A player whose session asks a method of its own: each refers to the other."""

    def __init__(self):
        self.session = malecon.Session(5, evaluator=self.judge, **OPTIONS)

    def judge(self, batch):
        return uniform(batch)


def test_an_agent_and_its_session_are_freed_together():
    agent = Agent()
    assert agent.session.analyze(simulations=10).best
    gc.collect()
    assert agent.session.analyze(simulations=10).best, "what is in use is no garbage"
    freed = weakref.ref(agent)
    del agent
    gc.collect()
    assert freed() is None


def test_a_search_that_runs_keeps_the_evaluator_of_an_agent_that_is_gone():
    agent = Agent()
    thinking = agent.session.think(simulations=200)
    freed = weakref.ref(agent)
    del agent
    gc.collect()
    assert thinking.wait().simulations == 200 and freed() is not None
    del thinking
    gc.collect()
    assert freed() is None
