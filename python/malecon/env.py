"""Havannah as an environment of PettingZoo, in its AEC interface. Needs the packages `pettingzoo` and `gymnasium`.

>>> from malecon import env
>>> game = env.env(side=5)
>>> game.reset()
"""

import numpy as np

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ModuleNotFoundError as error:
    message = "malecon.env needs PettingZoo and Gymnasium: pip install pettingzoo gymnasium"
    raise ModuleNotFoundError(message, name=error.name) from None

from ._engine import Position

__all__ = ["env", "raw_env"]


def env(side: int = 8, swap: bool = False, render_mode: str | None = None) -> AECEnv:
    """A game on the board of this side length, with or without the pie rule. An illegal move loses it."""
    checked = wrappers.TerminateIllegalWrapper(raw_env(side, swap, render_mode), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


class raw_env(AECEnv):
    """The environment without the wrappers that check how it is used.

    `player_0` moves first and has the white stones. An action is the index of a vertex, as in `malecon.Position`; with
    the pie rule, the last action is the swap. Winning is worth 1, losing -1, a draw 0.

    An observation has `action_mask`, 1 for each legal action, and `observation`, planes of letters by numbers of the
    vertices: 0 is the board, 1 the own stones, 2 the opposing stones.
    """

    metadata = {"name": "havannah_v0", "render_modes": ["ansi", "svg", "human"], "is_parallelizable": False}

    def __init__(self, side: int = 8, swap: bool = False, render_mode: str | None = None):
        AECEnv.__init__(self)
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"invalid render mode {render_mode!r} (expected one of {self.metadata['render_modes']})")
        self.render_mode = render_mode
        self._start = Position(side, swap=swap)
        self._letters, self._numbers = self._start.coordinates.T
        self._actions = len(self._start.vertices) + swap
        self.possible_agents = ["player_0", "player_1"]
        planes = (2 * side - 1, 2 * side - 1, 3)
        self.action_spaces = {agent: spaces.Discrete(self._actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, planes, np.int8),
                    "action_mask": spaces.Box(0, 1, (self._actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.reset()

    def action_space(self, agent):
        return self.action_spaces[agent]

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def reset(self, seed=None, options=None):
        """Starts a game. Nothing in it is random: the seed has no effect."""
        self.position = self._start.copy()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self._to_move()

    def observe(self, agent):
        own = 1 if agent == "player_0" else -1
        board = self.position.board
        planes = np.zeros(self.observation_spaces[agent]["observation"].shape, np.int8)
        planes[self._letters, self._numbers, 0] = 1
        planes[self._letters, self._numbers, 1] = board == own
        planes[self._letters, self._numbers, 2] = board == -own
        mask = np.zeros(self._actions, np.int8)
        if agent == self.agent_selection:
            mask[self.position.legal_indices] = 1
        return {"observation": planes, "action_mask": mask}

    def step(self, action):
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            return self._was_dead_step(action)
        self.position.play(action)
        self._cumulative_rewards[self.agent_selection] = 0
        self.agent_selection = self._to_move()
        if self.position.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
            if self.position.winner is not None:
                won = 0 if self.position.winner == "white" else 1
                self.rewards = {agent: 1 if i == won else -1 for i, agent in enumerate(self.possible_agents)}
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self):
        """The board as text or as SVG, as the render mode says; in the mode `human` it is printed."""
        if self.render_mode == "svg":
            return self.position.svg()
        if self.render_mode == "human":
            print(self.position)
            return None
        return str(self.position)

    def close(self):
        """Does nothing: there is no window."""

    def _to_move(self):
        return self.possible_agents[0 if self.position.to_move == "white" else 1]
