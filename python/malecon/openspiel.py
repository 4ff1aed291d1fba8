"""A bot and an evaluator for OpenSpiel's game `havannah`. Needs the package `open_spiel`."""

from collections import OrderedDict
from os.path import commonprefix

import numpy as np

try:
    import pyspiel
    from open_spiel.python.algorithms.mcts import Evaluator as MctsEvaluator
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("malecon.openspiel needs OpenSpiel: pip install open_spiel", name=error.name) from None

from ._engine import Position, Session

__all__ = ["Bot", "Evaluator"]


class Bot(pyspiel.Bot):
    """Malecon as a player in games of OpenSpiel, with and without the swap.

    It reads the whole game from the state, so it may join at any move and follow several games in turn.
    """

    def __init__(self, player: int, simulations: int | None = None, seconds: float | None = None, **options):
        """A bot for a player, 0 or 1, which thinks about each move until a limit is reached.

        `options` are those of `malecon.Session`, such as `seed`, `level` and `threads`. Raises `ValueError` for an
        option that does not exist.
        """
        if player not in (0, 1):
            raise ValueError(f"invalid player {player} (expected 0 or 1)")
        if options.get("resign"):
            raise ValueError("a bot cannot resign: OpenSpiel's game has no resignation")
        pyspiel.Bot.__init__(self)
        self._player = player
        self._limits = {"simulations": simulations, "seconds": seconds}
        self._session = Session(**options)

    def step(self, state) -> int:
        """The action that the bot chooses in a state in which it is to move."""
        if state.current_player() != self._player:
            raise ValueError(f"the bot is player {self._player}, and it is not this player's turn")
        self._follow(state)
        chosen = self._session.genmove(**self._limits)
        if chosen == "swap":
            return state.history()[0]
        return state.string_to_action(chosen)

    def inform_action(self, state, player_id: int, action: int) -> None:
        """Does nothing: `step` reads the game from its state."""

    def restart(self) -> None:
        """Forgets the game."""
        self._session.new_game()

    def restart_at(self, state) -> None:
        """Forgets the game and goes on from another one."""
        self.restart()
        self._follow(state)

    def _follow(self, state) -> None:
        """Makes the game of the session that of the state."""
        side, swap, moves = _game(state)
        if self._session.position.side != side:
            self._session.new_game(side)
        self._session.set_options(swap=swap)
        played = self._session.position.moves
        shared = len(commonprefix([played, moves]))
        self._session.undo(len(played) - shared)
        for move in moves[shared:]:
            self._session.play(move)


class Evaluator(MctsEvaluator):
    """The network for the Monte Carlo tree search of OpenSpiel (`open_spiel.python.algorithms.mcts`).

    `prior` is the network's policy, `evaluate` its value for both players, from -1 to 1. The network does not know the
    swap: it judges the position with and without it, and the swap gets the probability `swapped / (swapped + kept)` of
    the two chances of winning.
    """

    def __init__(self, remembered: int = 10_000):
        """An evaluator that remembers this many positions: the search asks for a position's value and policy apart."""
        self._remembered = remembered
        self._found: OrderedDict[str, tuple[float, list[tuple[int, float]]]] = OrderedDict()

    def evaluate(self, state) -> np.ndarray:
        """The chances of the players in a state that is not terminal, as returns: 1 is a win, -1 a loss."""
        value = 2 * self._judge(state)[0] - 1
        return np.array([value, -value] if state.current_player() == 0 else [-value, value])

    def prior(self, state) -> list[tuple[int, float]]:
        """The probability of each legal action."""
        return self._judge(state)[1]

    def _judge(self, state) -> tuple[float, list[tuple[int, float]]]:
        """The chance of winning of the player to move, and the probabilities of the actions."""
        side, swap, moves = _game(state)
        key = f"{side} {swap} {' '.join(moves)}"
        if key in self._found:
            self._found.move_to_end(key)
            return self._found[key]
        position = Position(side, swap=swap, moves=moves)
        value, policy = position.value, dict(zip(position.vertices, position.policy.tolist(), strict=True))
        priors = {state.string_to_action(name): policy[name] for name in position.legal_moves if name != "swap"}
        if position.legal_moves[-1] == "swap":
            # The swap is the action of the first stone.
            position.play("swap")
            swapped = 1 - position.value
            share = swapped / max(swapped + value, 1e-9)
            priors = {action: (1 - share) * prior for action, prior in priors.items()}
            priors[state.history()[0]] = share
            value = max(value, swapped)
        judged = self._found[key] = (value, [(action, priors[action]) for action in state.legal_actions()])
        if len(self._found) > self._remembered:
            self._found.popitem(last=False)
        return judged


def _game(state) -> tuple[int, bool, list[str]]:
    """The side length, whether there is the pie rule, and the moves of a state. Raises `ValueError` if the state is of
    another game than Havannah."""
    name = state.get_game().get_type().short_name
    if name != "havannah":
        raise ValueError(f"the state is of the game {name} (expected havannah)")
    parameters = state.get_game().get_parameters()
    history = state.history()
    moves = [state.action_to_string(ply % 2, action) for ply, action in enumerate(history)]
    if len(history) > 1 and history[1] == history[0]:
        moves[1] = "swap"
    return parameters["board_size"], parameters["swap"], moves
