"""Exact values of positions."""

import json
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


def test_solvers_that_share_a_table():
    first, second = malecon.Solver.several("3", 2, memory=16)
    positions = [malecon.Position("3", moves=[move]) for move in ("a1", "a2", "b2", "c3")]
    found: dict[malecon.Solver, list[str | None]] = {first: [], second: []}
    threads = [
        threading.Thread(target=lambda solver=solver: found[solver].extend(solver.solve(p).value for p in positions))
        for solver in found
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[first] == found[second] == [malecon.solve(position).value for position in positions]
    assert second.solve(positions[0], nodes=20).value is not None, "the table has it"
    with pytest.raises(ValueError, match="invalid count 0"):
        malecon.Solver.several(4, 0)
    with pytest.raises(ValueError, match="side 7 is too large"):
        malecon.Solver.several(7, 2)


def test_solvers_with_one_root_find_what_the_others_have_found():
    """A solver that is told of the root needs less for the positions after each move."""
    root = malecon.Position("3", moves="c3")
    nodes = {}
    for is_told in (False, True):
        first, second = malecon.Solver.several("3", 2, memory=16)
        assert first.solve(root).value == "black"
        if is_told:
            second.set_root(root)
        for move in root.legal_moves:
            second.solve(malecon.Position("3", moves=["c3", move]))
        nodes[is_told] = second.nodes
    assert nodes[True] < nodes[False] / 2, nodes
    with pytest.raises(ValueError, match="the game is over"):
        second.set_root(malecon.Position("2", moves="a1 b1 a2 c3 b3"))
    with pytest.raises(ValueError, match="the solver is for"):
        second.set_root(malecon.Position("4"))


def test_a_solver_goes_on_where_it_ended():
    position = malecon.Position(4, moves="a1 e5")
    whole = malecon.Solver(4, memory=64)
    solved = whole.solve(position)
    assert solved.value == "white"
    parts, found, steps = malecon.Solver("4", memory=64), None, 0
    while found is None or found.value is None:
        found = parts.solve(position, nodes=1000)
        assert found.nodes <= 1000
        steps += 1
    assert steps > 3 and parts.nodes < 2 * whole.nodes
    # All is in the table.
    assert parts.solve(position).nodes < 100
    parts.clear()
    assert parts.solve(position, nodes=1000).value is None


def test_the_order_of_moves_has_weights():
    solver, position = malecon.Solver(5, memory=16), malecon.Position(5, moves="e5")
    order = solver.order(position)
    assert [move for move, _ in order] == solver.solve(position, nodes=100).order
    weights = [weight for _, weight in order]
    assert weights == sorted(weights) and weights[0] == 1 and 2 < weights[-1] <= 12
    assert malecon.Solver(5, guided=False).order(position) == []


@pytest.mark.parametrize("board", ["3", "3-3-4"])
def test_proofs_are_written_joined_and_checked(board, tmp_path):
    solver = malecon.Solver(board, memory=64)
    root = malecon.Position(board)
    replies = [malecon.Position(board, moves=["a1", reply]) for reply in root.legal_moves[1:]]
    parts = []
    for number, position in enumerate(replies):
        assert solver.solve(position).value == "white"
        parts.append(tmp_path / f"{number}.proof")
        written = solver.prove(parts[-1], [(position, "white")])
        assert written.claims[0][0].key() == position.key() and written.bytes == parts[-1].stat().st_size
    # A solver that knows nothing joins them without a search.
    fresh = malecon.Solver(board, memory=1)
    joined = fresh.prove(tmp_path / "all.proof", [(root, "white")], moves=[(root, "a1")], known=parts)
    assert fresh.nodes == 0
    checked = malecon.check_proof(tmp_path / "all.proof")
    assert checked == joined
    assert checked.claims[0][1] == "white" and checked.claims[0][0] == root
    assert len(checked.longest_games) == 1 and checked.longest_games[0][0] == "a1"


def test_wrong_proofs_are_refused(tmp_path):
    solver, position = malecon.Solver(3), malecon.Position(3)
    file = tmp_path / "wrong.proof"
    for claims, moves, message in [
        ([(position, "black")], [], "the position is not won by the player who should win it"),
        ([(position, "white")], [(position, "a2")], "the position is not won by the player who should win it"),
        ([], [], "there is no position to prove"),
        ([(malecon.Position(4), "white")], [], "the position is on side 4, and the solver is for side 3"),
        ([(position, "red")], [], "red"),
    ]:
        with pytest.raises(ValueError, match=message):
            solver.prove(file, claims, moves=moves)
        assert not file.exists()
    with pytest.raises(FileNotFoundError, match="none.proof"):
        malecon.check_proof(tmp_path / "none.proof")
    file.write_bytes(b"mlcproof")
    with pytest.raises(ValueError, match="wrong.proof: the file is cut off"):
        malecon.check_proof(file)


def test_ctrl_c_ends_the_solver(ctrl_c_after):
    with ctrl_c_after(0.3):
        malecon.solve(malecon.Position(6))


def test_ctrl_c_ends_the_wait_for_a_solver_that_another_thread_uses(ctrl_c_after):
    solver = malecon.Solver(6, memory=16)
    working = threading.Thread(target=solver.solve, args=[malecon.Position(6)], kwargs={"seconds": 3.0})
    working.start()
    with ctrl_c_after(0.5):
        while working.is_alive():
            solver.nodes  # noqa: B018
    working.join()
    assert solver.nodes > 0


def test_a_proof_that_cannot_be_read_is_an_error_of_the_system(tmp_path):
    with pytest.raises(OSError, match="directory"):
        malecon.check_proof(tmp_path)
    with pytest.raises(ValueError, match="x.proof: the file is cut off"):
        (tmp_path / "x.proof").write_text("nothing")
        malecon.check_proof(tmp_path / "x.proof")
