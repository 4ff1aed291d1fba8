"""Many games side by side, and as an environment of Gymnasium."""

import threading

import gymnasium
import numpy as np
import pytest

import malecon
from malecon.vector import VectorEnv


def some_action(rng, legal):
    return np.array([rng.choice(np.flatnonzero(row)) for row in legal])


@pytest.mark.parametrize(("side", "swap"), [(3, False), (4, True), (8, False)])
def test_games_are_those_of_positions_played_one_by_one(side, swap):
    rng, games = np.random.default_rng(side), malecon.Games(6, side, swap=swap)
    assert (len(games), games.side, games.actions) == (6, side, len(malecon.Position(side).vertices) + swap)
    positions = [malecon.Position(side, swap=swap) for _ in range(len(games))]
    ended = 0
    for _ in range(300):
        legal, boards = games.legal(), games.boards()
        for i, position in enumerate(positions):
            assert np.array_equal(np.flatnonzero(legal[i]), position.legal_indices)
            own = 1 if position.to_move == "white" else -1
            assert np.array_equal(boards[i], own * position.board) and games.to_move[i] == (own == -1)
        actions = some_action(rng, legal)
        rewards, ends = games.step(actions)
        assert rewards.dtype == np.float32 and ends.dtype == np.bool_
        for i, position in enumerate(positions):
            mover = position.to_move
            position.play(actions[i])
            assert ends[i] == position.is_over and rewards[i] == (position.winner == mover)
            if position.is_over:
                ended += 1
                positions[i] = malecon.Position(side, swap=swap)
            assert games[i] == positions[i]
    assert ended > 5
    games.reset()
    assert not games.boards().any()


def test_the_network_judges_all_games():
    rng, games = np.random.default_rng(1), malecon.Games(70, 5)
    for _ in range(7):
        games.step(some_action(rng, games.legal()))
    positions = [games[i] for i in range(len(games))]
    policy, value = games.evaluate(threads=2)
    expected = malecon.evaluate(positions)
    assert np.array_equal(policy, expected[0]) and np.array_equal(value, expected[1])
    assert np.array_equal(games.features(), malecon.features(positions))


def test_wrong_actions_change_nothing():
    games = malecon.Games(2, 4)
    games.step([0, 5])
    cases = [
        ([1], "there are 1 actions for 2 games"),
        ([1, 5], "action 5 of game 1 is illegal"),
        ([0, 1], "action 0 of game 0 is illegal"),
        ([1, 37], "action 37 of game 1 is illegal"),
        ([-1, 1], "action -1 of game 0 is illegal"),
    ]
    for actions, message in cases:
        with pytest.raises(ValueError, match=message):
            games.step(actions)
    with pytest.raises(IndexError, match="there is no game 2 \\(expected 0 to 1\\)"):
        games[2]
    with pytest.raises(ValueError, match="invalid count 0"):
        malecon.Games(0)
    assert [games[i].moves for i in range(2)] == [["a1"], ["b2"]]


def test_other_threads_run_during_a_step():
    games, ticks, is_done = malecon.Games(20_000, 8), [], threading.Event()

    def count():
        while not is_done.is_set():
            ticks.append(None)

    thread = threading.Thread(target=count)
    thread.start()
    rng = np.random.default_rng(1)
    for _ in range(3):
        games.step(rng.permuted(np.tile(np.flatnonzero(games.legal()[0]), (len(games), 1)), axis=1)[:, 0])
        games.reset()
    is_done.set()
    thread.join()
    assert ticks


def test_the_environment_is_one_of_gymnasium():
    env = VectorEnv(16, side=4, swap=True, render_mode="ansi")
    assert isinstance(env, gymnasium.vector.VectorEnv) and env.single_action_space.n == 38
    observations, infos = env.reset(seed=1)
    rng, total = np.random.default_rng(1), 0
    for _ in range(200):
        assert observations in env.observation_space
        actions = some_action(rng, infos["action_mask"])
        assert actions in env.action_space
        observations, rewards, terminations, truncations, infos = env.step(actions)
        assert set(rewards) <= {0.0, 1.0} and not truncations.any() and terminations.shape == (16,)
        assert (rewards[~terminations] == 0).all()
        assert ("final_obs" in infos) == terminations.any()
        for i in np.flatnonzero(terminations):
            last = infos["final_obs"][i]
            # The player who has moved is not the one to move; the last stone is one of the structure that won.
            assert last[actions[i]] == -1 and last in env.single_observation_space
            assert np.count_nonzero(last == -1) >= np.count_nonzero(last == 1)
            assert infos["_final_obs"][i] and not infos["final_info"]["action_mask"][i].any()
        # A game that has ended has begun again: the board is empty.
        assert not observations[terminations].any() and infos["action_mask"][terminations, :37].all()
        total += terminations.sum()
    assert total > 40
    assert len(env.render()) == 16 and "to move" in env.render()[0]
    with pytest.raises(ValueError, match="is illegal"):
        env.step(np.full(16, 37))
    with pytest.raises(ValueError, match="invalid render mode 'human'"):
        VectorEnv(1, render_mode="human")


def test_more_games_than_fit_into_memory_are_an_error():
    with pytest.raises(MemoryError, match="no memory for 1000000000000 items"):
        malecon.Games(10**12, side=5)
    with pytest.raises(MemoryError):
        malecon.Games(2**63 - 1)
