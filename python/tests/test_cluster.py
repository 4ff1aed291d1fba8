"""Solving positions with many workers."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest
from distributed import Client, LocalCluster
from processes import is_alive, workers_of

import malecon
from malecon.cluster import DaskPool, Search, Settings, Work, jobs, solve
from malecon.cluster.__main__ import read_position
from malecon.cluster.estimate import Effort, estimate, mean_and_error
from malecon.cluster.search import Below
from malecon.cluster.shards import run_shards
from malecon.cluster.simulate import Machines, SimulatedPool, simulate

TINY = Settings(first_nodes=3, growth=2, most_nodes=12, split_nodes=18, easy_nodes=1)
"""So small that even easy positions are divided."""


def random_position(rng: random.Random, board: str) -> malecon.Position:
    """A position in which nobody has won, with more stones on larger boards."""
    while True:
        position = malecon.Position(board)
        vertices = len(position.vertices)
        for _ in range(rng.randrange(max(0, vertices - 19), max(1, vertices - 13))):
            position.play(rng.choice(position.legal_moves))
            if position.is_over:
                break
        if not position.is_over:
            return position


SLOW = Machines(threads=2, memory=16, speed=1000.0, latency=0.001)


def pool_of(workers: int) -> SimulatedPool:
    return SimulatedPool(workers, SLOW)


def work_on(asked, folder: Path, workers: int, settings: Settings = TINY) -> Work:
    work = Work(pool_of(workers), asked, folder, settings=settings, memory=16)
    while not work.is_done:
        work.step()
    return work


@pytest.mark.parametrize(("board", "workers"), [("3", 1), ("3", 4), ("3-3-4", 16), ("2-3-4", 3), ("2-4-4", 8)])
def test_values_are_those_of_the_solver(board, workers, tmp_path):
    rng = random.Random(board + str(workers))
    divided, values = 0, set()
    for number in range(12):
        position = random_position(rng, board)
        work = work_on([(position, None)], tmp_path / str(number), workers)
        [result] = work.results()
        expected = malecon.solve(position, memory=16)
        assert result.value == expected.value, repr(position)
        values.add(result.value)
        divided += work.progress().divided
        loser = "black" if result.value == "white" else "white"
        if result.value in (loser, "draw") or result.value == position.to_move:
            assert result.best is not None
        if result.best is not None:
            after = position.copy()
            after.play(result.best)
            final = after.winner or "draw" if after.is_over else malecon.solve(after, memory=16).value
            assert final == result.value
        work.close()
    assert divided >= 6, "the search was hardly tested"
    assert values >= {"white", "black"}
    assert "draw" in values or board != "2-3-4"


def test_whether_a_player_wins(tmp_path):
    # After c1 on 2-3-4, nobody can force a structure.
    drawn = malecon.Position("2-3-4", moves="c1")
    asked = [(drawn, "white"), (drawn, "black"), (drawn, None), (malecon.Position("2-3-4"), "white")]
    work = work_on(asked, tmp_path, 4)
    assert [(result.wins, result.value) for result in work.results()][1:] == [
        (False, "draw"),
        (None, "draw"),
        (True, "white"),
    ]


def test_a_proof_of_parts(tmp_path):
    positions = [malecon.Position("3", moves=[move]) for move in ("a1", "a2", "b2", "c3")]
    settings = Settings(first_nodes=20, growth=2, most_nodes=40, split_nodes=60, easy_nodes=1)
    work = Work(
        ProvingPool(2, SLOW), [(position, None) for position in positions], tmp_path, settings=settings, memory=16
    )
    while not work.is_done:
        work.step()
    assert work.progress().divided > 0
    file = tmp_path / "all.proof"
    written = work.write_proof(file)
    checked = malecon.check_proof(file)
    assert checked == malecon.results.Proof(
        [(position, winner) for position, winner in written.claims],
        written.positions,
        written.moves,
        file.stat().st_size,
        written.longest_games,
    )
    expected = [malecon.solve(position).value for position in positions]
    assert [winner for _, winner in checked.claims] == expected
    assert [position.key(symmetric=True) for position, _ in checked.claims] == [
        malecon.Position.from_string(position.to_string()).key(symmetric=True) for position in positions
    ]


class ProvingPool(SimulatedPool):
    """Workers that do what real ones do, one after another."""

    def _answer(self, worker, request):
        root, position = (malecon.Position.from_string(text) for text in (request.root, request.position))
        assert all(before in (0, now) for before, now in zip(root.board, position.board, strict=True))
        return jobs.solve(request)


def test_nothing_is_lost_when_the_work_is_killed(tmp_path):
    rng = random.Random(7)
    asked = [(malecon.Position("3", moves=[move]), None) for move in ("a1", "a2", "b1", "b2", "c3")]
    undisturbed = work_on(asked, tmp_path / "whole", 3)
    folder, kills = tmp_path / "killed", 0
    while True:
        work = Work(pool_of(3), asked, folder, settings=TINY, memory=16)
        known = work.progress().nodes
        journal = folder / "journal.jsonl"
        written = sum(json.loads(line).get("nodes", 0) for line in journal.read_text().splitlines())
        assert known == written, "all that was written is known"
        for _ in range(rng.randrange(1, 8)):
            if not work.is_done:
                work.step()
        if work.is_done:
            break
        # As after a kill: no job is ended, and the last line may be torn.
        work.journal.close()
        kills += 1
        if rng.random() < 0.5:
            with journal.open("ab") as file:
                file.write(b'{"position":"3/4/5')
    assert kills >= 20
    assert [result.value for result in work.results()] == [result.value for result in undisturbed.results()]


def test_the_folder_of_another_board_is_refused(tmp_path):
    work_on([(malecon.Position("3", moves="a1"), None)], tmp_path, 1).close()
    with pytest.raises(ValueError, match=r"journal.jsonl:1: the folder is for board 3, not 2-3-4"):
        Work(pool_of(1), [(malecon.Position("2-3-4"), None)], tmp_path)


def test_a_result_about_an_image_is_understood():
    position = malecon.Position("3", moves="a1")
    image = next(image for k in range(12) if (image := position.image(k)).key() != position.key())
    found = malecon.solve(malecon.Position.from_string(image.to_string()), nodes=10_000)
    search = Search([(position, None)], Settings(easy_nodes=1))
    search.learn(malecon.Position.from_string(image.to_string()), found)
    assert search.is_done and search.roots[0].node.value == found.value


def test_the_best_move_is_that_of_the_position_asked_about(tmp_path):
    positions = [malecon.Position("3", moves=["d2"]).image(k) for k in range(12)]
    work = work_on([(position, None) for position in positions], tmp_path, 2)
    assert len({result.best for result in work.results()}) > 1
    for position, result in zip(positions, work.results(), strict=True):
        after = malecon.Position.from_string(position.to_string(), moves=[result.best])
        assert malecon.solve(after).value == result.value


def test_a_position_below_another_one_has_a_best_move(tmp_path):
    asked = [(malecon.Position("3", moves=moves), None) for moves in ("a1", "a1 c3", "a1 b2", "a1 c2")]
    for result in work_on(asked, tmp_path, 2).results():
        assert (result.best is None) == (result.value != result.position.to_move and result.value != "draw")


def found_about(player: str, value: str | None = None) -> malecon.Solution:
    number = None if value else 5
    return malecon.Solution(value, None, 10, 0.0, None if value else player, number, number, [])


def after(position: malecon.Position, move: str) -> malecon.Position:
    copy = position.copy()
    copy.play(move)
    return copy


def test_a_result_about_an_image_is_understood_with_what_is_below():
    position = malecon.Position("3", moves="a1")
    child = after(position, "b2")
    k = next(k for k in range(12) if position.image(k).key() != position.key())
    image = position.image(k)
    # The names of the moves b2 and c3 there.
    move = next(move for move in image.legal_moves if after(image, move).key() == child.image(k).key())
    best = after(child, "c3").image(k).key()
    below = after(image, move)
    best = next(reply for reply in below.legal_moves if after(below, reply).key() == best)
    search = Search([(position, None), (child, None)])
    found = malecon.Solution("white", best, 10, 0.0, None, None, None, [])
    search.learn(malecon.Position.from_string(image.to_string()), found_about("black"), [Below(move, 1.0, found)])
    assert (search.roots[1].node.value, search.roots[1].node.best) == ("white", "c3")


def test_a_child_that_another_parent_settles_settles_its_first_parent():
    # Black's a2 after the first position and b2 after the second lead to the same one.
    positions = [malecon.Position("3", moves=moves) for moves in ("a1 b2 c3", "a1 a2 c3")]
    search = Search([(position, None) for position in positions])
    after = [
        {move: (child := position.copy()).play(move) or child for move in position.legal_moves}
        for position in positions
    ]
    keys = [{child.key(symmetric=True) for child in children.values()} for children in after]
    for position, children, shared in zip(positions, after, [None, "white"], strict=True):
        below = []
        for move, child in children.items():
            is_shared = child.key(symmetric=True) in keys[0] & keys[1]
            below.append(Below(move, 1.0, found_about("white", shared if is_shared else "white")))
        search.learn(position, found_about("black"), below)
    assert search.is_done
    assert [root.node.value for root in search.roots] == ["white", "white"]


def test_what_is_known_of_a_player_is_not_forgotten():
    position = malecon.Position("3", moves="a1")
    search = Search([(position, "black"), (position, None)])
    for player in ("white", "black"):
        # A job that asks about White has shown that Black, to move, does not win; a later one begins anew.
        [(_, job)] = search.next_jobs(["worker"])
        search.finish(job, found_about(player))
        assert search.roots[0].is_settled and search.roots[0].wins is False
    assert not search.is_done


def test_workers_take_what_will_be_needed():
    """White, to move, seems to win with one move. So all replies to it must be refuted, but no other move."""

    def about_white(proof: int, disproof: int) -> malecon.Solution:
        return malecon.Solution(None, None, 10, 0.0, "white", proof, disproof, [])

    position = malecon.Position("3", moves="a1 c3")
    best, *others = position.legal_moves
    search = Search([(position, "white")])
    [(_, job)] = search.next_jobs(["worker"])
    below = [Below(best, 1.0, about_white(1, 10_000))] + [Below(move, 1.0, about_white(40, 50)) for move in others]
    search.finish(job, about_white(1, 50), below)
    [(_, job)] = search.next_jobs(["worker"])
    replies = job.node.position.legal_moves
    search.finish(job, about_white(1, 10_000), [Below(reply, 1.0, about_white(2, 10_000)) for reply in replies])
    children = {child.node for child in job.node.children}
    assert len(children) >= 12
    begun = [begun.node for _, begun in search.next_jobs(str(i) for i in range(len(children) + 3))]
    assert set(begun[: len(children)]) == children
    assert all(job.node not in node.parents for node in begun[len(children) :]), "then other moves are looked at"
    assert len(begun) == len(set(begun)) == len(children) + 3


def test_one_idle_worker_ends_one_job():
    positions = [malecon.Position("4", moves=[move]) for move in ("a1", "a2", "b2")]
    search = Search([(position, None) for position in positions], Settings(hard_nodes=10))
    for _ in range(2):
        jobs_of_all = [job for _, job in search.next_jobs("123")]
        if any(job.node.nodes for job in jobs_of_all):
            break
        for job in jobs_of_all:
            search.finish(job, found_about("black"))
    for _ in range(3):
        assert list(search.next_jobs(["idle"])) == []
    assert [job.is_stopped for job in jobs_of_all].count(True) == 1
    assert list(search.next_jobs(["idle", "another"])) == []
    assert [job.is_stopped for job in jobs_of_all].count(True) == 2


def test_a_damaged_part_does_not_matter(tmp_path):
    settings = Settings(first_nodes=20, growth=2, most_nodes=40, split_nodes=60, easy_nodes=1)
    work = Work(
        ProvingPool(2, SLOW), [(malecon.Position("3", moves="a2"), None)], tmp_path, settings=settings, memory=16
    )
    work.run()
    whole = work.write_proof(tmp_path / "whole.proof")
    parts = work.journal.all_parts()
    assert len(parts) > 2
    parts[0].write_bytes(b"")
    parts[1].write_bytes(parts[1].read_bytes()[:-1])
    assert work.write_proof(tmp_path / "again.proof").claims == whole.claims


def test_two_commands_do_not_share_a_folder(tmp_path):
    asked = [(malecon.Position("3", moves="a1"), None)]
    script = "import sys, pathlib; from malecon import Position; from malecon.cluster import Work; "
    script += "Work(None, [(Position('3', moves='a1'), None)], pathlib.Path(sys.argv[1]))"
    with closing(Work(pool_of(1), asked, tmp_path)):
        other = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True)
        assert other.stderr.splitlines()[-1] == f"ValueError: {tmp_path}: another process works in this folder"
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)


def test_results_are_used_for_other_positions(tmp_path):
    below, above = malecon.Position("3", moves="a2 b2"), malecon.Position("3", moves="a2")
    first = work_on([(below, None)], tmp_path, 1)
    known = first.search.roots[0].node.nodes
    first.close()
    second = work_on([(above, None)], tmp_path, 1)
    assert second.search.nodes[below.key(symmetric=True)].nodes >= known > 0
    assert second.results()[0].value == malecon.solve(above).value


def test_the_numbers_of_nodes_are_for_each_thread(tmp_path):
    begun = []

    class Observed(SimulatedPool):
        def begin(self, worker, request):
            begun.append(request)
            super().begin(worker, request)

    settings = Settings(first_nodes=10, growth=2, most_nodes=30, split_nodes=40, easy_nodes=1, threads=3)
    Work(Observed(1, SLOW), [(malecon.Position("3", moves="a2"), None)], tmp_path, settings=settings).run()
    first = [request for request in begun if request.position == request.root]
    assert [(request.nodes, request.divide) for request in first] == [(30, False), (60, False), (90, True)]
    assert {request.threads for request in begun} == {3}


def test_settings_make_sense():
    with pytest.raises(ValueError, match="invalid easy_nodes 0"):
        Settings(easy_nodes=0)


def test_more_workers_are_faster_in_the_simulation():
    asked = [(malecon.Position("4", moves="a1 b2"), None)]
    machines = Machines(threads=4, memory=64, speed=1e6, latency=1e-5)
    settings = Settings(first_nodes=500, most_nodes=4000, split_nodes=8000, easy_nodes=50)
    rows = list(simulate(asked, [1, 8], machines, settings=settings))
    assert [row.workers for row in rows] == [1, 8]
    assert rows[1].seconds < rows[0].seconds
    again = simulate(asked, [1, 8], machines, settings=settings)
    assert [row.seconds for row in again] == [row.seconds for row in rows], "the simulation repeats itself"


def work_of(position: malecon.Position, leaf_nodes: int, look_nodes: int) -> tuple[float, bool]:
    """What samples estimate, for White, computed from all of Black's moves, and whether White wins."""
    solver = malecon.Solver(position.shape, memory=16)
    found = solver.solve(position, nodes=leaf_nodes)
    if found.value is not None:
        return found.nodes, found.value == "white"
    solver.clear()
    nodes, below, seen = 0.0, [], set()
    for each in jobs.divide(solver, position, look_nodes):
        after = jobs.after_move(position, each.move)
        key = after.key(symmetric=True)
        if key not in seen:
            seen.add(key)
            below.append((each, after))
    if position.to_move == "white":
        nodes = sum(each.found.nodes for each, _ in below)
        if any(each.found.value == "white" for each, _ in below):
            return nodes, True

        def missing(each: Below) -> float:
            found = each.found
            return each.weight * (found.proof if found.player == "white" else found.disproof)

        for _, after in sorted((b for b in below if b[0].found.value is None), key=lambda b: missing(b[0])):
            more, wins = work_of(after, leaf_nodes, look_nodes)
            nodes += more
            if wins:
                return nodes, True
        return nodes, False
    assert all(each.found.value in (None, "white") for each, _ in below), "White wins with the move before"
    for each, after in below:
        more, wins = (each.found.nodes, True) if each.found.value else work_of(after, leaf_nodes, look_nodes)
        assert wins, "White wins with the move before"
        nodes += more
    return nodes, True


def test_the_mean_of_samples_is_the_work():
    position = malecon.Position("3-3-4", moves="a1")
    work, wins = work_of(position, 20, 5)
    effort = Effort(leaf_nodes=20, look_nodes=5, memory=16)
    samples = list(islice(estimate(position, "white", effort), 400))
    mean, error = mean_and_error(samples)
    assert wins and abs(mean - work) < 3 * error < work, (mean, error, work)
    assert list(islice(estimate(position, "white", effort), 3)) == samples[:3], "the samples of a seed are always the same"


def test_there_is_no_estimate_of_a_win_that_is_none():
    for moves in ("b2", "b2 f6"):
        with pytest.raises(ValueError, match="white does not win"):
            next(estimate(malecon.Position("3-3-4", moves=moves), "white"))


# With Dask.


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "malecon.cluster", *map(str, arguments)]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes as on Linux")
def test_two_workers_of_which_some_are_killed(tmp_path):
    proof = tmp_path / "b2.proof"
    line = command("solve", "--side", "3-3-4", "b2", "--folder", tmp_path / "work", "--proof", proof, "--workers", 2)
    line += ["--memory", "16", "--first-nodes", "200", "--most-nodes", "800", "--split-nodes", "1000"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        journal = tmp_path / "work/journal.jsonl"
        while not (workers := workers_of(process.pid) if journal.exists() and journal.stat().st_size > 0 else []):
            assert process.poll() is None, "the work has ended before a worker was killed"
            time.sleep(0.01)
        os.kill(workers[-1], signal.SIGKILL)
        try:
            output, errors = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            # Otherwise the end of the block would wait for it.
            process.kill()
            raise
    assert process.returncode == 0, errors
    assert json.loads(output) == {
        "board": "3-3-4",
        "moves": ["b2"],
        "value": "black",
        "best": json.loads(output)["best"],
    }
    assert malecon.check_proof(proof).claims[0][1] == "black"
    # The second time, all is known.
    again = subprocess.run(line, capture_output=True, text=True, check=True, timeout=120)
    assert again.stdout == output


def test_two_processes_work_on_one_position(tmp_path):
    class Counting(DaskPool):
        used = set()

        def begin(self, worker, request):
            self.used.add(worker)
            super().begin(worker, request)

    position = malecon.Position("3-3-4", moves="b2")
    settings = Settings(first_nodes=200, most_nodes=800, split_nodes=1000)
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=0, dashboard_address=None)
    with cluster, Client(cluster) as client:
        client.wait_for_workers(2)
        pool = Counting(client)
        file = tmp_path / "b2.proof"
        [result] = solve(pool, [(position, None)], tmp_path / "work", memory=16, settings=settings, proof=file)
    assert len(pool.used) == 2
    assert result.value == "black"
    assert malecon.check_proof(file).claims[0][1] == "black"


def test_two_threads_work_on_each_job(tmp_path):
    proof = tmp_path / "a1-b2.proof"
    line = command("solve", "--side", 4, "a1", "b2", "--folder", tmp_path / "work", "--proof", proof, "--memory", 16)
    line += ["--workers", "1", "--threads", "2", "--first-nodes", "5000", "--hard-nodes", "8000"]
    output = subprocess.run(line, capture_output=True, text=True, check=True, timeout=120).stdout
    assert json.loads(output)["value"] == "white"
    assert malecon.check_proof(proof).claims[0][1] == "white"


def test_a_command_in_shards(tmp_path):
    # A shard counts its runs; the second one fails once.
    script = "import pathlib, sys; k = int(sys.argv[1]); f = pathlib.Path(f'ran-{k}'); first = not f.exists()"
    script += "; f.open('a').write(sys.argv[2] + ' '); sys.exit('no luck' if k == 2 and first else 0)"
    line = command("shards", "--count", 4, "--folder", "work", "--workers", 2, "--", sys.executable, "-c", script)
    line += ["{}", "{n}"]
    first = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert first.returncode == 1, first.stderr
    assert first.stderr.splitlines()[-2:] == ["3 of 4 shards done", "error: shard 2 ended with status 1: no luck"]
    again = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert again.stderr.splitlines() == ["3 of 4 shards done", "4 of 4 shards done"]
    other = subprocess.run([*line, "more"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert other.returncode == 2 and "another command or number of shards" in other.stderr
    assert [(tmp_path / f"ran-{n}").read_text() for n in range(1, 5)] == ["4 ", "4 4 ", "4 ", "4 "]


def test_a_sequential_test_ends_the_work(tmp_path):
    # A program that says the same of any games.
    program = tmp_path / "malecon"
    program.write_text('#!/bin/sh\n[ $1 = match ] && echo \'{"sprt": {"decision": "h1"}}\'\n')
    program.chmod(0o755)
    (tmp_path / "work/1").mkdir(parents=True)
    (tmp_path / "work/1/games.jsonl").write_text("a game\n")
    line = command("shards", "--count", 50, "--folder", "work", "--sprt=0,10", "--workers", 1, "--", program, "match")
    ended = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ended.stderr.splitlines()[-2:] == ["1 of 50 shards done", "the sequential test has decided: h1"]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes as on Linux")
def test_shards_that_run_are_ended_with_the_work(tmp_path):
    # The first shard ends when the second one runs, which would take an hour.
    script = """import os, pathlib, sys, time
other = pathlib.Path("pid")
if sys.argv[1] == "2":
    pathlib.Path("new").write_text(str(os.getpid()))
    pathlib.Path("new").rename(other)
    time.sleep(3600)
while not other.exists():
    time.sleep(0.01)
"""
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        with LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=0, dashboard_address=None) as cluster:
            with Client(cluster) as client:
                client.wait_for_workers(2)
                command = [sys.executable, "-c", script, "{}"]
                assert run_shards(client, command, 2, tmp_path / "work", is_decided=lambda: has_begun(tmp_path)) == []
                pid = int((tmp_path / "pid").read_text())
                end = time.monotonic() + 60
                while is_alive(pid):
                    assert time.monotonic() < end, "the shard goes on"
                    time.sleep(0.01)
                # The workers go on.
                assert client.submit(sum, [1, 2]).result() == 3
    finally:
        os.chdir(here)


def has_begun(folder: Path) -> bool:
    return (folder / "pid").exists()


def test_the_player_to_move_of_a_line_counts_beside_its_position():
    line = {"position": "4/5/6/7/6/5/4 w"}
    assert read_position(line).to_move == "white"
    assert read_position({**line, "to_move": "b"}).to_move == "black"
    assert read_position({**line, "moves": ["a1"], "to_move": "w"}).to_move == "white"


def test_a_simulation_is_a_table():
    line = command("simulate", "--side", "3-3-4", "b2", "--workers", "1,4", "--first-nodes", 50, "--split-nodes", 50)
    printed = subprocess.run(line, capture_output=True, text=True, check=True).stdout.splitlines()
    assert printed[0].split()[:2] == ["workers", "seconds"]
    rows = [[float(word) for word in row.split()] for row in printed[1:]]
    assert [row[0] for row in rows] == [1, 4] and all(len(row) == 6 for row in rows)


def test_an_estimate_is_a_table():
    line = command("estimate", "--side", "3-3-4", "--for", "white", "--samples", 3, "--leaf-nodes", 20, "a1")
    printed = subprocess.run(line, capture_output=True, text=True, check=True).stdout.splitlines()
    assert printed[0].split() == ["sample", "nodes", "mean", "error"]
    rows = [[float(word) for word in row.split()] for row in printed[1:]]
    assert [row[0] for row in rows] == [1, 2, 3]
    assert rows[2][2] == pytest.approx(sum(row[1] for row in rows) / 3, rel=0.01)
    refused = subprocess.run(command("estimate", "--side", 7, "--for", "white"), capture_output=True, text=True)
    assert refused.returncode == 2 and not refused.stdout
    assert re.fullmatch("error: side 7 is too large for the solver.*\n", refused.stderr)


def test_wrong_arguments_are_refused(tmp_path):
    for arguments, message in [
        (["--side", "7"], "side 7 is too large for the solver"),
        (["a9"], "vertex a9 is not on the board"),
        (["--positions", tmp_path / "none"], "none"),
        (["--side", "5-x"], "invalid board '5-x'"),
        (["--easy-nodes", "0"], "expected at least 1"),
        (["--memory", "99999999999999999999"], "expected at least 1"),
        (["--threads", "0"], "expected at least 1"),
        (["--proof", tmp_path / "none/a.proof"], "there is no such folder for the proof"),
    ]:
        refused = subprocess.run(
            command("solve", "--folder", tmp_path / "f", "--workers", 1, *arguments), capture_output=True, text=True
        )
        assert refused.returncode == 2 and re.search(message, refused.stderr), refused.stderr
        # Those of the parser come after the usage.
        assert refused.stderr.startswith("usage: ") or len(refused.stderr.splitlines()) == 1
