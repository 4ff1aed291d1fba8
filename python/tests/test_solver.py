"""Exact values of positions."""

import json
import os
import signal
import threading
from pathlib import Path

import pytest

import malecon

RECORDS = Path(__file__).parents[2] / "tests/data/special_games.jsonl"


def test_values_and_moves_that_keep_them():
    solved = malecon.solve(malecon.Position(3))
    assert (solved.value, solved.player, solved.proof, solved.disproof, solved.order) == ("white", None, None, None, [])
    assert solved.nodes > 0 and solved.seconds > 0
    after = malecon.Position(3, moves=[solved.best])
    lost = malecon.solve(after, guided=False, threads=2, memory=1)
    assert (lost.value, lost.best) == ("white", None)


def test_a_draw_has_a_move_that_keeps_it():
    drawn = 0
    for line in RECORDS.read_text().splitlines():
        record = json.loads(line)
        if record["winner"] != "draw":
            continue
        position = malecon.Position(record["side"], moves=record["moves"][:-4])
        solved = malecon.solve(position)
        if solved.value == "draw":
            drawn += 1
            position.play(solved.best)
            assert malecon.solve(position).value == "draw"
    assert drawn > 0


def test_how_far_the_solver_came():
    position = malecon.Position(5, moves="e5")
    some, more = (malecon.solve(position, nodes=nodes) for nodes in (2000, 20_000))
    for solved in (some, more):
        assert (solved.value, solved.best, solved.player) == (None, None, "black")
        assert solved.proof >= 1 and solved.disproof >= 1
        assert sorted(solved.order) == sorted(position.legal_moves)
    assert some.nodes <= 2000 < more.nodes <= 20_000
    assert more.proof != some.proof
    assert some.order == more.order, "the network's order does not depend on the search"
    assert malecon.solve(position, nodes=100, guided=False).order == []
    assert malecon.solve(position, seconds=0.05).seconds < 5


def test_wrong_questions_are_refused():
    position = malecon.Position(4)
    for arguments, message in [
        ({"nodes": 0}, "invalid nodes 0"),
        ({"seconds": 0.0}, "invalid seconds 0"),
        ({"seconds": float("nan")}, "invalid seconds NaN"),
        ({"memory": 0}, "invalid memory 0"),
        ({"threads": -1}, "invalid threads -1"),
    ]:
        with pytest.raises(ValueError, match=message):
            malecon.solve(position, **arguments)
    with pytest.raises(ValueError, match="side 7 is too large for the solver"):
        malecon.solve(malecon.Position(7))
    with pytest.raises(ValueError, match="the game is over"):
        malecon.solve(malecon.Position(3, moves="a1 c3 a2 d4 a3"))


def test_ctrl_c_ends_the_solver():
    threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        malecon.solve(malecon.Position(6))
