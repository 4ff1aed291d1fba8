"""What an analysis returns."""

from dataclasses import dataclass, field
from typing import Literal

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
    """The legal moves, the best one first, then the most visited. They are not printed: there may be hundreds."""
