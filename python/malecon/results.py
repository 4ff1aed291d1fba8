"""What an analysis or the solver returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ._engine import Position

Color = Literal["white", "black"]
Verdict = Literal["win", "loss", "draw"]


@dataclass(frozen=True, slots=True)
class AnalyzedMove:
    """A move of the position that was analysed. Values are from the point of view of the player who makes it."""

    move: str
    """The vertex."""
    visits: int
    """How many simulations began with it, those of earlier searches included."""
    win_rate: float | None
    """The chance of winning with it, in [0, 1]; `None` if it was not tried."""
    prior: float | None
    """The network's probability of it, in [0, 1]; `None` if it was not needed."""
    verdict: Verdict | None
    """Its proven result, if it is known."""
    pv: list[str]
    """The expected continuation, beginning with it; empty if it was hardly examined."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a search found. Values are from the point of view of the player to move."""

    to_move: Color
    """The player to move."""
    best: str
    """The best move: a vertex or `"swap"`."""
    win_rate: float
    """The chance of winning, in [0, 1]; a draw counts 0.5."""
    pv: list[str]
    """The line that the search expects, beginning with the best move."""
    verdict: Verdict | None
    """The result of the position, if it is proven."""
    moves_to_win: int | None
    """The most moves that the winner needs, if the result is proven and this is known."""
    simulations: int
    """How many simulations the search made."""
    seconds: float
    """How long it took."""
    moves: list[AnalyzedMove] = field(repr=False)
    """The legal moves, the best one first, then the most visited; only one if it wins at once or by two threats. They are
    not printed: there may be hundreds."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What the solver found out about a position: its value, or how far it came."""

    value: Color | Literal["draw"] | None
    """Who wins if both players play perfectly, or `"draw"`; `None` if the limits were not enough."""
    best: str | None
    """A move with which the player to move keeps the value; `None` if the player loses or none is known."""
    nodes: int
    """How many positions the solver visited."""
    seconds: float
    """How long it took."""
    player: Color | None
    """Where the value is not known, the player of whom `proof` and `disproof` speak: the player to move, or the opponent
    once it is known that the player to move cannot win."""
    proof: int | None
    """How many positions must be settled, as far as is known, to show that `player` wins: the smaller, the sooner."""
    disproof: int | None
    """How many positions must be settled, as far as is known, to show that `player` does not win."""
    order: list[str] = field(repr=False)
    """Where the value is not known, the moves in the order in which the solver's network would try them."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What the file of a proof proves."""

    claims: list[tuple[Position, Color]]
    """The positions, each with the player who wins it."""
    positions: int
    """How many positions with the winner to move it treats, up to symmetry."""
    moves: int
    """For how many of them it has a move. The others need none: one stone makes two threats, or a reply is forced."""
    bytes: int
    """The size of the file."""
    longest_games: list[list[str]] = field(repr=False)
    """For each claim, the longest game against the strategy of the proof."""
