"""An agent for the environment `open_spiel_havannah` of kaggle-environments. Needs the package `open_spiel`.

>>> from kaggle_environments import make
>>> from malecon.kaggle import Agent
>>> make("open_spiel_havannah").run([Agent(seconds=1), "random"])  # doctest: +SKIP
"""

from collections.abc import Mapping
from typing import Any

from .openspiel import Bot, pyspiel

__all__ = ["Agent"]

NO_ACTION = -1


class Agent:
    """Malecon as an agent: a function of an observation and a configuration. It plays either side of any game."""

    def __init__(self, simulations: int | None = None, seconds: float | None = None, **options):
        """An agent that thinks about each move until a limit is reached. `options` are those of `malecon.Session`."""
        self._bots = [Bot(player, simulations=simulations, seconds=seconds, **options) for player in (0, 1)]
        # Kaggle asks a function for its name.
        self.__name__ = "malecon"

    def __call__(self, observation: Mapping[str, Any], _configuration: object = None) -> dict[str, int]:
        """The move as kaggle-environments expects it; -1 if it is not this player's turn."""
        player, serialized = observation.get("playerId"), observation.get("serializedGameAndState")
        if not serialized or player not in (0, 1) or observation.get("currentPlayer") != player:
            return {"submission": NO_ACTION}
        _, state = pyspiel.deserialize_game_and_state(serialized)
        return {"submission": int(self._bots[player].step(state))}
