"""The rules against those of OpenSpiel, and the bot in its games."""

import importlib
import random
import sys

import numpy as np
import pyspiel
import pytest

import malecon
from malecon.openspiel import Bot, Evaluator


def havannah(side, swap=False):
    return pyspiel.load_game("havannah", {"board_size": side, "swap": swap})


@pytest.mark.parametrize("side", range(3, 11))
def test_rules_are_those_of_openspiel_after_every_move_of_250_games(side):
    rng = random.Random(side)
    game = havannah(side)
    start = malecon.Position(side)
    # The action of OpenSpiel for each vertex.
    first = game.new_initial_state()
    actions = np.array([first.string_to_action(name) for name in start.vertices])
    winners = set()
    for _ in range(250):
        state, position = game.new_initial_state(), start.copy()
        while True:
            assert state.is_terminal() == position.is_over
            legal = position.legal_indices
            assert state.legal_actions() == sorted(actions[legal].tolist())
            if position.is_over:
                break
            assert state.current_player() == (0 if position.to_move == "white" else 1)
            vertex = legal[int(rng.random() * len(legal))]
            state.apply_action(actions[vertex])
            position.play(vertex)
        expected = {"white": [1.0, -1.0], "black": [-1.0, 1.0], None: [0.0, 0.0]}
        assert state.returns() == expected[position.winner]
        assert position.structures or position.winner is None
        winners.add(position.winner)
    assert winners >= {"white", "black"}


def play(bots, state):
    while not state.is_terminal():
        bot = bots[state.current_player()]
        action = bot.step(state)
        assert action in state.legal_actions()
        for player, other in enumerate(bots):
            if other is not bot:
                other.inform_action(state, 1 - player, action)
        state.apply_action(action)
    return state.returns()


def test_bot_beats_openspiels_own_mcts():
    game, won = havannah(4), 0
    for number in range(10):
        player = number % 2
        bot = Bot(player, simulations=200, seed=number)
        evaluator = pyspiel.RandomRolloutEvaluator(1, number)
        other = pyspiel.MCTSBot(game, evaluator, 2.0, 200, 100, True, number, False)
        bots = [bot, other] if player == 0 else [other, bot]
        won += play(bots, game.new_initial_state())[player] > 0
    assert won >= 9


def test_bot_joins_in_the_middle_and_follows_several_games():
    game = havannah(5)
    bot = Bot(player=0, simulations=20, seed=1)
    first, second = game.new_initial_state(), havannah(4).new_initial_state()
    for name in ["e5", "d4", "f6", "c3"]:
        first.apply_action(first.string_to_action(name))
    for state in [first, second, first]:
        while not state.is_terminal() and len(state.history()) < 12:
            action = bot.step(state)
            assert action in state.legal_actions()
            state.apply_action(action)
            # Not what the bot expects: the first legal action.
            if not state.is_terminal():
                state.apply_action(state.legal_actions()[0])
    bot.restart()
    assert bot.step(second if not second.is_terminal() else game.new_initial_state()) >= 0


def test_bot_swaps_a_strong_first_stone_and_understands_a_swap():
    game = havannah(8, swap=True)
    state = game.new_initial_state()
    state.apply_action(state.string_to_action("c4"))
    bot = Bot(player=1, simulations=50, seed=1)
    action = bot.step(state)
    assert action == state.history()[0], "c4 is too strong to be left to the opponent"
    state.apply_action(action)
    assert state.current_player() == 0
    answer = Bot(player=0, simulations=50, seed=1).step(state)
    assert answer in state.legal_actions()
    without = havannah(8).new_initial_state()
    without.apply_action(without.string_to_action("c4"))
    assert bot.step(without) in without.legal_actions()


def test_bots_that_cannot_play_are_refused():
    with pytest.raises(ValueError, match="invalid player 2"):
        Bot(player=2)
    with pytest.raises(ValueError, match="unknown option 'wisdom'"):
        Bot(player=0, wisdom=1)
    with pytest.raises(ValueError, match="no resignation"):
        Bot(player=0, resign=True)
    with pytest.raises(ValueError, match="the game tic_tac_toe "):
        Bot(0).step(pyspiel.load_game("tic_tac_toe").new_initial_state())
    with pytest.raises(ValueError, match="not this player's turn"):
        Bot(player=1).step(havannah(4).new_initial_state())


def test_a_missing_package_is_named(monkeypatch):
    for missing, module in [("pyspiel", "malecon.openspiel"), ("pettingzoo", "malecon.env")]:
        monkeypatch.setitem(sys.modules, missing, None)
        monkeypatch.delitem(sys.modules, module, raising=False)
        with pytest.raises(ModuleNotFoundError, match=f"{module} needs .*: pip install"):
            importlib.import_module(module)


@pytest.mark.parametrize("swap", [False, True])
def test_the_search_of_openspiel_with_the_network(swap):
    from open_spiel.python.algorithms import mcts

    game = havannah(4, swap)
    evaluator = Evaluator(remembered=1000)
    bot = mcts.MCTSBot(game, 1.5, 60, evaluator, solve=True, random_state=np.random.RandomState(1))
    network, chance = [bot, RandomBot(2)], [0, 0]
    for start in (0, 1):
        state = game.new_initial_state()
        while not state.is_terminal():
            player = state.current_player()
            state.apply_action(network[player ^ start].step(state))
        chance[state.returns()[start] > 0] += 1
    assert chance == [0, 2]


class RandomBot:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def step(self, state):
        return self.rng.choice(state.legal_actions())


@pytest.mark.parametrize("swap", [False, True])
def test_the_evaluator_says_what_the_network_says(swap):
    game, evaluator, rng = havannah(5, swap), Evaluator(remembered=3), random.Random(1)
    for _ in range(10):
        state = game.new_initial_state()
        while not state.is_terminal() and len(state.history()) < 9:
            priors, values = evaluator.prior(state), evaluator.evaluate(state)
            assert [action for action, _ in priors] == state.legal_actions()
            assert sum(prior for _, prior in priors) == pytest.approx(1, abs=1e-5)
            assert values.shape == (2,) and values.sum() == 0 and abs(values).max() <= 1
            moves = [state.action_to_string(ply % 2, action) for ply, action in enumerate(state.history())]
            if len(moves) > 1 and moves[1] == moves[0]:
                moves[1] = "swap"
            position = malecon.Position(5, swap=swap, moves=moves)
            if position.legal_moves[-1] == "swap":
                swapped = position.copy()
                swapped.play("swap")
                assert values[1] == pytest.approx(2 * max(position.value, 1 - swapped.value) - 1)
            else:
                assert values[state.current_player()] == pytest.approx(2 * position.value - 1)
                named = {state.action_to_string(action): prior for action, prior in priors}
                assert [named[name] for name in position.legal_moves] == pytest.approx(
                    [position.policy[i] for i in position.legal_indices]
                )
            state.apply_action(rng.choice(state.legal_actions()))
    assert len(evaluator._found) <= 3
