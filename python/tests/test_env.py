"""The environment of PettingZoo."""

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

import malecon
from malecon import env as havannah


# The checks of PettingZoo warn of observations that are no arrays, and of actions that are all illegal at the end.
@pytest.mark.filterwarnings("ignore:Observation:UserWarning", "ignore:Action mask:UserWarning")
@pytest.mark.parametrize(("side", "swap"), [(3, False), (4, True), (8, False)])
def test_it_is_an_environment_of_pettingzoo(side, swap):
    api_test(havannah.env(side=side, swap=swap), num_cycles=300)
    seed_test(lambda: havannah.env(side=side, swap=swap), num_cycles=50)


def play(game, moves):
    names = malecon.Position(3).vertices + ["swap"]
    for move in moves:
        game.step(names.index(move))


def test_a_win_is_worth_one_and_observations_are_the_players_own():
    game = havannah.env(side=3)
    game.reset()
    play(game, ["a1", "c3", "a2", "d4"])
    observation, reward, terminated, truncated, _ = game.last()
    assert (reward, terminated, truncated, game.agent_selection) == (0, False, False, "player_0")
    planes = observation["observation"]
    assert planes.shape == (5, 5, 3) and planes.sum(axis=(0, 1)).tolist() == [19, 2, 2]
    assert planes[0, 0].tolist() == [1, 1, 0] and planes[2, 2].tolist() == [1, 0, 1]
    mask = observation["action_mask"]
    assert np.flatnonzero(mask).tolist() == malecon.Position(3, moves=["a1", "c3", "a2", "d4"]).legal_indices.tolist()
    play(game, ["a3"])
    assert game.rewards == {"player_0": 1, "player_1": -1}
    assert game.terminations == {"player_0": True, "player_1": True}


def test_a_swap_is_the_last_action():
    game = havannah.env(side=3, swap=True)
    game.reset()
    play(game, ["b2"])
    mask = game.last()[0]["action_mask"]
    assert mask.shape == (20,) and mask[-1] == 1
    play(game, ["swap"])
    observation = game.last()[0]
    assert game.agent_selection == "player_0" and observation["observation"][1, 1].tolist() == [1, 0, 1]
    assert observation["action_mask"].sum() == 18


def test_an_illegal_move_loses(capsys):
    game = havannah.env(side=3)
    game.reset()
    play(game, ["a1", "a1"])
    assert game.rewards == {"player_0": 0, "player_1": -1} and all(game.terminations.values())


def test_boards_are_shown():
    game = havannah.env(side=4, render_mode="ansi")
    game.reset()
    assert game.render().endswith("white (O) to move, 0 stones")
    game = havannah.env(side=4, render_mode="svg")
    game.reset()
    assert game.render().startswith("<svg ")
    with pytest.raises(ValueError, match="invalid render mode 'film'"):
        havannah.env(render_mode="film")
