"""Many games of Havannah as one environment of Gymnasium. Needs the package `gymnasium`.

>>> from malecon import vector
>>> games = vector.VectorEnv(64, side=5)
>>> observations, infos = games.reset()
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("malecon.vector needs Gymnasium: pip install gymnasium", name=error.name) from None

from ._engine import Games

__all__ = ["VectorEnv"]

Array = NDArray[Any]


class VectorEnv(gymnasium.vector.VectorEnv):
    """Games in which one agent plays both sides, each step being the move of the player whose turn it is.

    An action is the index of a vertex, as in `malecon.Position`; with the pie rule, the last action is the swap. An
    observation has the stones by vertex, 1 for the player to move, -1 for the opponent and 0 for none. The reward
    belongs to the player who has moved: 1 for a win, 0 otherwise. A game that has ended starts again in the same step
    (`AutoresetMode.SAME_STEP`). The dictionary of infos has `action_mask`, 1 for each legal action, and `to_move`, 0
    for white and 1 for black.
    """

    metadata = {"name": "havannah_v0", "render_modes": ["ansi"], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(self, num_envs: int, side: int = 8, swap: bool = False, render_mode: str | None = None):
        if render_mode not in (None, "ansi"):
            raise ValueError(f"invalid render mode {render_mode!r} (expected 'ansi')")
        self.games = Games(num_envs, side, swap=swap)
        self.num_envs, self.render_mode = num_envs, render_mode
        vertices = self.games.boards().shape[1]
        self.single_observation_space = spaces.Box(-1, 1, (vertices,), np.int8)
        self.single_action_space = spaces.Discrete(self.games.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Starts all games. Nothing in them is random: the seed is for Gymnasium's own random numbers only."""
        super().reset(seed=seed, options=options)
        self.games.reset()
        return self.games.boards(), self._infos()

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Plays one action in each game. Raises `ValueError` if one of them is illegal; nothing has changed then."""
        rewards, terminations = self.games.step(np.asarray(actions, np.int64))
        truncations = np.zeros(self.num_envs, np.bool_)
        return self.games.boards(), rewards.astype(np.float64), terminations, truncations, self._infos()

    def render(self) -> tuple[str, ...] | None:
        """The boards as text."""
        return tuple(str(self.games[i]) for i in range(self.num_envs)) if self.render_mode else None

    def _infos(self) -> dict[str, Any]:
        return {"action_mask": self.games.legal().astype(np.int8), "to_move": self.games.to_move}
