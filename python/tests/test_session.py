"""Sessions: the engine, its options, and how a search gets on with the rest of Python."""

import os
import signal
import threading

import pytest

import malecon

THREAT = ["a1", "c3", "a2", "d4"]


def session_after(moves, side=3, **options):
    session = malecon.Session(side, **options)
    for move in moves:
        session.play(move)
    return session


def test_the_example_of_the_readme():
    session = malecon.Session(side=8, seed=1)
    session.play("h8")
    found = session.analyze(simulations=200)
    assert found.to_move == "black" and found.best == found.pv[0] == found.moves[0].move
    assert 0 < found.win_rate < 1 and found.verdict is None and found.moves_to_win is None
    assert found.simulations == 200 and found.seconds > 0 and len(found.moves) == 168
    assert isinstance(found, malecon.Analysis) and isinstance(found.moves[0], malecon.AnalyzedMove)
    assert len(repr(found)) < 1000, "what a notebook shows can be read"
    visits = [m.visits for m in found.moves[1:]]
    assert visits == sorted(visits, reverse=True)
    move = session.genmove(simulations=50)
    assert session.position.moves == ["h8", move]
    session.undo()
    assert session.position == malecon.Position(8, moves=["h8"])


def test_the_same_seed_finds_the_same():
    def found():
        session = malecon.Session(5, seed=7)
        found = session.analyze(simulations=100)
        return found.best, found.win_rate, found.pv, found.moves, session.genmove(simulations=50)

    assert found() == found()


def test_a_win_is_proven_and_played():
    session = session_after(THREAT, seed=1)
    found = session.analyze(simulations=100)
    assert (found.best, found.verdict, found.win_rate, found.moves_to_win) == ("a3", "win", 1.0, 1)
    assert found.pv == ["a3"] and found.moves[0].verdict == "win"
    assert session.genmove(simulations=10) == "a3" and session.position.winner == "white"
    for call in [session.analyze, session.genmove]:
        with pytest.raises(ValueError, match="the game is over"):
            call()


def test_the_order_of_options_does_not_matter():
    for options in [dict(c_puct=0.3, preset="default"), dict(preset="default", c_puct=0.3)]:
        session = malecon.Session(6, **options)
        assert session.options["c_puct"] == 0.3
        session.set_options(**options)
        assert session.options["c_puct"] == 0.3
    assert malecon.Session(6, c_uct=0.5, method="rave").options["c_uct"] == 0.5


def test_a_strong_first_stone_is_swapped():
    session = session_after(["c4"], 8, seed=1, swap=True)
    found = session.analyze(simulations=50)
    assert (found.best, found.pv) == ("swap", ["swap"]) and found.win_rate > 0.5
    assert session.genmove(simulations=50) == "swap" and session.position.to_move == "white"


def test_options_are_set_by_name_all_or_none():
    session = malecon.Session(4, seed=3, level=2, swap=True, seconds=0.5, threads="2")
    options = session.options
    assert (options["seed"], options["level"], options["swap"], options["seconds"]) == (3, 2, True, 0.5)
    assert (options["threads"], options["network"]) == (2, "built-in")
    for wrong, message in [
        ({"level": 11}, "invalid value '11' for level (expected 1..10)"),
        ({"swap": 2}, "invalid value '2' for swap (expected true|false)"),
        ({"wisdom": 1}, "unknown option 'wisdom'"),
        ({"network": "/nowhere"}, "cannot use '/nowhere' for network"),
    ]:
        with pytest.raises(ValueError) as raised:
            session.set_options(seconds=1.0, **wrong)
        assert message in str(raised.value) and session.options == options
        with pytest.raises(ValueError):
            malecon.Session(4, **wrong)
    session.set_options(level=10, seed=4)
    assert (session.options["level"], session.options["seed"]) == (10, 4)


def test_setting_the_seed_starts_the_random_numbers_again():
    session, moves = malecon.Session(6, seed=5, level=3), []
    for _ in range(2):
        session.set_options(seed=5)
        moves.append([session.genmove() for _ in range(6)])
        session.new_game()
    assert moves[0] == moves[1] and session.position == malecon.Position(6)


def test_wrong_limits_are_refused():
    session = malecon.Session(4)
    for call in [session.analyze, session.genmove, session.review]:
        for limits, message in [
            ({"simulations": 0}, "invalid simulations 0 (expected at least 1)"),
            ({"simulations": -1}, "invalid simulations -1"),
            ({"seconds": 0.0}, "invalid seconds 0 (expected a number above 0)"),
            ({"seconds": float("nan")}, "invalid seconds NaN"),
        ]:
            with pytest.raises(ValueError) as raised:
                call(**limits)
            assert message in str(raised.value)
    with pytest.raises(ValueError, match="invalid mistake 0"):
        session.review(mistake=0.0)
    assert session.position == malecon.Position(4)


def test_a_level_plays_a_whole_game_and_the_review_finds_its_mistakes():
    session = malecon.Session(4, seed=1, level=1)
    while not session.position.is_over:
        session.genmove()
    played = session.position
    session.set_options(level=10)
    review = session.review(simulations=100)
    assert session.position == played, "a review leaves the game alone"
    assert review["winner"] == played.winner and review["side"] == 4 and not review["partial"]
    assert [m["move"] for m in review["moves"]] == played.moves
    assert len(review["positions"]) == len(played.moves) + 1
    assert any(m["mistake"] for m in review["moves"]), "level 1 makes mistakes"
    assert review["findings"][0]["text"]


def test_games_are_loaded_with_their_variations_and_saved():
    text = "(;FF[4]SZ[4]C[a game];W[d4](;B[c3];W[e5])(;B[d5]C[better]))"
    session = malecon.Session(8)
    session.load(text)
    assert session.position == malecon.Position(4, moves=["d4", "c3", "e5"])
    session.play("d5")
    saved = session.to_sgf()
    assert "better" in saved and malecon.Position.from_sgf(saved) == session.position
    with pytest.raises(ValueError):
        session.load("(;SZ[4];W[a9])")
    assert session.position.moves[-1] == "d5"


def test_the_engines_moves_are_annotated():
    session = malecon.Session(5, seed=1, annotate=True)
    session.genmove(simulations=20)
    assert "white wins" in session.to_sgf() and "Malecon" in session.to_sgf()


@pytest.mark.parametrize("call", ["analyze", "genmove", "review"])
def test_other_threads_run_during_a_search_and_ctrl_c_ends_it(call):
    session = session_after(["h8", "g7"], 8, seed=1)
    worked = []

    def work_and_interrupt():
        # It takes the lock of the interpreter a thousand times before the search may end.
        for number in range(1000):
            worked.append(number)
            threading.Event().wait(0.0001)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=work_and_interrupt)
    # Without Ctrl-C the search would go on for days.
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        getattr(session, call)(seconds=1e6)
    thread.join()
    assert len(worked) == 1000
    assert session.position == malecon.Position(8, moves=["h8", "g7"])
    assert session.genmove(simulations=20) == session.position.moves[-1]


@pytest.mark.parametrize("call", ["analyze", "genmove"])
def test_a_handler_of_signals_cannot_use_a_session_that_searches(call):
    session = malecon.Session(8, seed=1)

    def look(_number, _frame):
        session.play("a1")
        # The search has not begun yet.
        session.undo()
        send_later()

    def send_later():
        threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGUSR1]).start()

    before = signal.signal(signal.SIGUSR1, look)
    try:
        send_later()
        with pytest.raises(RuntimeError, match="the session is busy"):
            getattr(session, call)(seconds=1e6)
    finally:
        signal.signal(signal.SIGUSR1, before)
    session.play("a1")


def test_an_argument_cannot_use_the_session_that_reads_it():
    session = malecon.Session(4, seed=1)

    class Argument:
        def __index__(self):
            return len(session.to_sgf())

        def __str__(self):
            return str(self.__index__())

    for use in [lambda: session.play(Argument()), lambda: session.set_options(seed=Argument())]:
        with pytest.raises((RuntimeError, TypeError)):
            use()
    session.play("a1")


def test_threads_take_turns_in_one_session():
    session = malecon.Session(6, seed=1)
    threads = [threading.Thread(target=session.genmove, kwargs={"simulations": 30}) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(session.position.moves) == 6


def test_nothing_is_searched_after_a_resignation():
    session = malecon.Session(4)
    for move in ("a1", "a2", "resign"):
        session.play(move)
    for search in (session.analyze, session.think, session.genmove):
        with pytest.raises(ValueError, match="the game is over"):
            search(simulations=5)


def test_a_session_that_is_busy_is_shown_and_ctrl_c_ends_the_wait_for_it(ctrl_c_after):
    is_asked, is_done = threading.Event(), threading.Event()

    def judge(batch):
        is_asked.set()
        is_done.wait()
        return batch.boards * 0.0, [0.5] * len(batch)

    session = malecon.Session(4, evaluator=judge)
    thread = threading.Thread(target=session.analyze, kwargs={"simulations": 1})
    thread.start()
    is_asked.wait()
    assert "side=4" in repr(session)
    with ctrl_c_after(0.1):
        session.play("a1")
    is_done.set()
    thread.join()
    assert session.position.moves == []
