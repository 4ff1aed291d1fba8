"""The agent for kaggle-environments: with its environment, where that is installed, and without it."""

import pyspiel
import pytest

from malecon.kaggle import Agent


def observation(state, player):
    """What kaggle-environments tells an agent."""
    return {
        "playerId": player,
        "currentPlayer": state.current_player(),
        "serializedGameAndState": pyspiel.serialize_game_and_state(state.get_game(), state),
    }


@pytest.mark.parametrize("swap", [False, True])
def test_an_agent_answers_with_legal_moves_when_it_is_its_turn(swap):
    game = pyspiel.load_game("havannah", {"board_size": 4, "swap": swap})
    agents, state = [Agent(simulations=20, seed=1), Agent(simulations=20, seed=2)], game.new_initial_state()
    while not state.is_terminal():
        player = state.current_player()
        assert agents[1 - player](observation(state, 1 - player), {}) == {"submission": -1}
        chosen = agents[player](observation(state, player), {})
        assert list(chosen) == ["submission"] and chosen["submission"] in state.legal_actions()
        state.apply_action(chosen["submission"])
    assert agents[0]({"step": 0}) == {"submission": -1}


def test_it_wins_in_the_environment_of_kaggle():
    environments = pytest.importorskip("kaggle_environments")
    for seat in (0, 1):
        configuration = {"openSpielGameString": "havannah(board_size=5)", "strictMode": True}
        configuration["includeLegalActions"] = True
        environment = environments.make("open_spiel_havannah", configuration=configuration)
        agents = ["random", "random"]
        agents[seat] = Agent(simulations=100, seed=1)
        environment.run(agents)
        last = environment.steps[-1]
        assert [player["status"] for player in last] == ["DONE", "DONE"]
        assert last[seat]["reward"] > last[1 - seat]["reward"]
