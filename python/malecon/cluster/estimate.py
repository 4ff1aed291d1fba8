"""How much work it will be to show that a player wins: an estimate from samples.

A sample goes down the tree of moves until the solver solves the position with few nodes, as in D. E. Knuth, "Estimating
the efficiency of backtrack programs" (Mathematics of Computation 29, 1975). Where the player is to move, it takes the move
that seems to need least, as the search does. All of the opponent's moves must be refuted, so it takes one of them at
random, and divides the work that it finds by the chance of this move: the mean of many samples is the work for all moves.
Moves that seem to need more have a greater chance. If it turns out that the player does not win with a move, the next one is
tried, and the work of both counts.

A real search differs from this in two ways. It meets many positions again, by other orders of the moves, and knows them:
the estimate is too high. And it works on several of the player's moves until it knows which one wins, while a sample only
notices that a move does not win if the reply that it takes shows it: the estimate is too low.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from math import inf, sqrt
from statistics import mean, stdev

from malecon import Position, Solver
from malecon.results import Color

from .jobs import after_move, divide
from .search import numbers_of


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work a sample is."""

    leaf_nodes: int = 1_000_000
    """A sample ends in a position that takes at most so many nodes: the more, the smaller the error."""
    look_nodes: int = 1000
    """The nodes of a look at each move, which shows how much it seems to need."""
    memory: int = 1024
    """The megabytes of the solver's table."""


def estimate(position: Position, player: Color, effort: Effort | None = None, *, seed: int = 1) -> Iterator[float]:
    """Samples of the nodes that it takes to show that a player wins, without end. Each has a random number generator of its
    own, so sample 7 of a seed is always the same.

    Raises `ValueError` if the game is over, if the board is too large for the solver, if a number makes no sense, and as
    soon as a sample shows that the player does not win.
    """
    if position.is_over:
        raise ValueError("the game is over: there is nothing to estimate")
    return _samples(_Sampler(position.shape, player, effort or Effort()), position, seed)


def _samples(sampler: _Sampler, position: Position, seed: int) -> Iterator[float]:
    for number in count(1):
        sample = sampler.sample(position, random.Random(f"{seed} {number}"))
        if not sample.wins:
            raise ValueError(f"{sampler.player} does not win")
        yield sample.nodes


def mean_and_error(samples: list[float]) -> tuple[float, float]:
    """The mean, and the standard error of the mean, which is infinite for a single sample."""
    return mean(samples), stdev(samples) / sqrt(len(samples)) if len(samples) > 1 else inf


@dataclass(frozen=True, slots=True)
class _Sample:
    """What a way down the tree has found."""

    nodes: float
    """The nodes that the solver would visit for the position, if all of it were like this way."""
    wins: bool
    """False if it is now known that the player does not win."""


@dataclass(frozen=True, slots=True)
class _Next:
    """A position after a move, after a look at it."""

    position: Position
    weight: float
    """How many times as great `missing` counts where the player chooses: the network's advice."""
    missing: float
    """How much must be settled at least to show that the player wins: 0 if that is known, infinite if the player does
    not."""
    nodes: int
    """The nodes of the look."""


class _Sampler:
    def __init__(self, board: str, player: Color, effort: Effort) -> None:
        self.player = player
        self._solver = Solver(board, memory=effort.memory)
        self._effort = effort

    def sample(self, position: Position, rng: random.Random) -> _Sample:
        """Goes down from a position. What was found elsewhere does not help: it would not be there in other samples."""
        self._solver.clear()
        found = self._solver.solve(position, nodes=self._effort.leaf_nodes)
        if found.value is not None:
            return _Sample(found.nodes, found.value == self.player)
        self._solver.clear()
        below = self._look(position)
        if position.to_move == self.player:
            return self._one_wins(below, rng)
        return self._all_win(below, rng)

    def _look(self, position: Position) -> list[_Next]:
        """The positions after each move, in the network's order. Of those that are images of each other, it is the first."""
        below: dict[bytes, _Next] = {}
        for each in divide(self._solver, position, self._effort.look_nodes):
            after = after_move(position, each.move)
            missing, _ = numbers_of(after, each.found)[self.player]
            below.setdefault(after.key(symmetric=True), _Next(after, each.weight, missing, each.found.nodes))
        return list(below.values())

    def _one_wins(self, below: list[_Next], rng: random.Random) -> _Sample:
        nodes = float(sum(each.nodes for each in below))
        for each in sorted(below, key=lambda each: each.weight * each.missing):
            if each.missing == 0:
                return _Sample(nodes, wins=True)
            if each.missing < inf:
                sample = self.sample(each.position, rng)
                nodes += sample.nodes
                if sample.wins:
                    return _Sample(nodes, wins=True)
        return _Sample(nodes, wins=False)

    def _all_win(self, below: list[_Next], rng: random.Random) -> _Sample:
        lost = next((each for each in below if each.missing == inf), None)
        if lost is not None:
            return _Sample(lost.nodes, wins=False)
        nodes = float(sum(each.nodes for each in below if each.missing == 0))
        hard = [each for each in below if each.missing > 0]
        if not hard:
            return _Sample(nodes, wins=True)
        shares = [sqrt(each.missing) for each in hard]
        [(taken, share)] = rng.choices(list(zip(hard, shares, strict=True)), shares)
        sample = self.sample(taken.position, rng)
        if not sample.wins:
            # A search needs only this one.
            return _Sample(nodes + sample.nodes, wins=False)
        return _Sample(nodes + sample.nodes * sum(shares) / share, wins=True)
