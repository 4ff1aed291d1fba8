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
    for white and 1 for black; of the games that have ended, `final_obs` and `final_info` have the last position.
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
        actions = np.asarray(actions, np.int64)
        boards, movers = self.games.boards(), self.games.to_move
        rewards, terminations = self.games.step(actions)
        truncations = np.zeros(self.num_envs, np.bool_)
        infos = self._infos()
        if terminations.any():
            infos.update(self._final(boards, movers, actions, terminations))
        return self.games.boards(), rewards.astype(np.float64), terminations, truncations, infos

    def render(self) -> tuple[str, ...] | None:
        """The boards as text."""
        return tuple(str(self.games[i]) for i in range(self.num_envs)) if self.render_mode else None

    def _final(self, boards: Array, movers: Array, actions: Array, ended: Array) -> dict[str, Any]:
        """The last positions of the games that have ended, as Gymnasium's own vector environments give them."""
        final_obs = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended):
            # The last move is a stone; after it, the opponent is to move.
            boards[i, actions[i]] = 1
            final_obs[i] = -boards[i]
        final_info = {
            "action_mask": np.zeros((self.num_envs, self.games.actions), np.int8),
            "_action_mask": ended.copy(),
            "to_move": np.where(ended, 1 - movers, 0).astype(np.int8),
            "_to_move": ended.copy(),
        }
        return {
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": final_info,
            "_final_info": ended.copy(),
        }

    def _infos(self) -> dict[str, Any]:
        return {"action_mask": self.games.legal().astype(np.int8), "to_move": self.games.to_move}
