from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any, Literal, SupportsIndex, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .results import Analysis, Color, Proof, Solution
from .thinking import Thinking

__all__ = [
    "FEATURES",
    "Batch",
    "Games",
    "Position",
    "RunningSearch",
    "Session",
    "Solver",
    "__version__",
    "check_proof",
    "evaluate",
    "features",
    "solve",
]

__version__: str
FEATURES: int
"""The number of features of a vertex."""

def evaluate(positions: Iterable[Position], *, threads: int = 1) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What the network says of many positions at once: an array of positions by vertices, as `Position.policy`, and one of
    positions, as `Position.value`.

    The positions must be on one board. The work is done by `threads` threads, while other threads of Python run. Raises
    `ValueError` if there is no position, or one of them is over or on another board."""

def features(positions: Iterable[Position]) -> NDArray[np.float32]:
    """What the network sees of many positions at once: an array of positions by vertices by 127, as `Position.features`.

    The positions must be on one board. Raises `ValueError` if there is no position, or one of them is over or on another
    board."""

def solve(
    position: Position,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    memory: int = 1024,
    threads: int = 1,
    guided: bool = True,
) -> Solution:
    """Finds out who wins a position if both players play perfectly, or how far the solver came within these limits,
    without the swap of the pie rule.

    `nodes` are the positions that it may visit, `seconds` the time it may take, `memory` the megabytes of its table, and
    `threads` work together; the number of positions visited then differs from run to run. Unless it is `guided` by a
    network, it needs about three times as long. Other threads of Python run meanwhile, and Ctrl-C ends it. Raises
    `ValueError` if the game is over, if the board is larger than side 6, or if a limit makes no sense. A `Solver` keeps
    what it has found for further positions."""

def check_proof(file: str | PathLike[str]) -> Proof:
    """Checks the file of a proof with the rules of the game alone, and returns what it proves. Other threads of Python run
    meanwhile, and Ctrl-C ends it. Raises `ValueError` if the proof is refused, and `OSError` if the file cannot be
    read."""

@final
class Solver:
    """A solver for one board. Its table keeps what it has found, for this and later positions: solving a position again
    with more nodes continues the work.

    `side` is the side length of the board, up to 6, or a string with the lengths of a hexagon, such as `"4-4-5"`.
    `memory` are the megabytes of the table, which takes them as it fills, and `threads` work together; the number of
    positions visited then differs from run to run. Unless it is `guided` by a network, it needs about three times as
    long. Other threads of Python run while it solves and proves, and Ctrl-C ends that. Raises `ValueError` if the board
    is too large, or if a number makes no sense."""

    def __new__(cls, side: int | str, *, memory: int = 1024, threads: int = 1, guided: bool = True) -> Solver: ...
    @staticmethod
    def several(
        side: int | str, count: int, *, memory: int = 1024, threads: int = 1, guided: bool = True
    ) -> list[Solver]:
        """So many solvers for one board that share a table: while they work, each in a thread of Python of its own, they use
        what the others have found. The arguments are those of `Solver`: `memory` is that of the one table, and `threads` is
        how many work in each solver. There are 256 at most, even if `count` is greater."""
    @property
    def nodes(self) -> int:
        """How many positions the solver has visited in all calls."""
    def solve(self, position: Position, *, nodes: int | None = None, seconds: float | None = None) -> Solution:
        """Finds out who wins a position if both players play perfectly, or how far the solver came within these limits,
        without the swap of the pie rule. It may visit `nodes` positions, and take so many `seconds`.

        Raises `ValueError` if the game is over, or on another board."""
    def set_root(self, position: Position) -> None:
        """Tells the solver from which position those follow that it will be asked about. Where this one has symmetries, images
        of each other are then searched only once. `solve` and `prove` do this with their positions, unless those follow from
        the last root. So it is of use to solvers that share a table and work on parts of one tree: with different roots, they
        might not find what the others have found. It changes no value.

        Raises `ValueError` if the game is over, or on another board."""
    def order(self, position: Position) -> list[tuple[str, float]]:
        """The moves of a position in the order in which the solver's network would try them; empty without a network. With each
        comes its weight, from 1 for the first to 12: the solver multiplies the effort that a move seems to need by it."""
    def prove(
        self,
        file: str | PathLike[str],
        claims: Iterable[tuple[Position, Color]],
        *,
        moves: Iterable[tuple[Position, str]] = (),
        known: Iterable[str | PathLike[str]] = (),
    ) -> Proof:
        """Writes a proof that the positions are won by these players: `claims` are pairs of a position and a colour. The file
        appears when the proof is complete. `docs/proof-format.md` describes it.

        The winner's moves come from `moves`, pairs of a position and a vertex with which the player to move wins; then from
        `known`, the files of other proofs; then from the solver, whose table has most of them if it has solved the
        positions. Raises `ValueError` if a claim is wrong, a given move does not win, or another proof is refused, and
        `OSError` if a file cannot be written."""
    def clear(self) -> None:
        """Forgets what was found, so that the solver behaves like a new one. A table that other solvers share is left as it
        is."""

@final
class Batch:
    """The positions that an evaluator judges in one call, all on one board. `Session(evaluator=...)` makes them."""

    def __len__(self) -> int: ...
    @property
    def side(self) -> int:
        """The side length of the board."""
    @property
    def to_move(self) -> list[Color]:
        """The players to move."""
    @property
    def boards(self) -> NDArray[np.int8]:
        """The stones: an array of positions by vertices, 1 for the player to move, -1 for the opponent, 0 for none."""
    def features(self) -> NDArray[np.float32]:
        """What the network would see: an array of positions by vertices by 127, as `malecon.features`."""
    def positions(self) -> list[Position]:
        """The positions, with all their stones as set up."""

@final
class Games:
    """Many games on boards of one side length, which are played side by side with arrays of actions: an environment for
    learning. A game that has ended starts again at once.

    `Games(count, side, swap=...)` starts this many games, with or without the pie rule. An action is the index of a
    vertex, as in `Position`; with the pie rule, the last action is the swap. Raises `ValueError` if there is no such board
    or no game.
    """

    def __new__(cls, count: int, side: int = 8, *, swap: bool = False) -> Games: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Position:
        """A copy of the position of a game. Raises `IndexError` if there is no such game."""
    @property
    def side(self) -> int:
        """The side length of the boards."""
    @property
    def actions(self) -> int:
        """The number of actions: one for each vertex and, with the pie rule, the swap."""
    @property
    def to_move(self) -> NDArray[np.int8]:
        """The players to move: 0 for white, 1 for black."""
    def reset(self) -> None:
        """Starts all games again."""
    def step(self, actions: NDArray[np.int64] | list[int]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Plays one action in each game. Returns the rewards of the players who have moved, 1 for a win and 0 otherwise, and
        whether the game has ended; the next position of such a game is its start. Other Python threads run meanwhile.

        Raises `ValueError` if there is not one action for each game, or one of them is illegal; nothing has changed then.
        """
    def boards(self) -> NDArray[np.int8]:
        """The stones: an array of games by vertices, 1 for the player to move, -1 for the opponent, 0 for none."""
    def legal(self) -> NDArray[np.bool_]:
        """The legal actions: an array of games by actions."""
    def features(self) -> NDArray[np.float32]:
        """What the network sees: an array of games by vertices by 127, as `malecon.features`."""
    def evaluate(self, *, threads: int = 1) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What the network says, as `malecon.evaluate`."""

@final
class Position:
    """A game in progress: the stones, whose turn it is, and the moves so far.

    White moves first. A vertex has HavannahGui's name, such as `"h8"`, and an index: its place in `vertices`. Both name
    a move, as `"swap"` and the index after the last vertex name the swap of the pie rule.

    `Position(side, swap=..., moves=...)` is the board of this side length, 2 to 13, after these moves, with or without
    the pie rule. The moves are a list or a string: `"h8 g7"`. For the solver, `side` may also be a hexagon whose sides
    have other lengths, such as `"4-4-5"`; a session does not play on it. Raises `ValueError` if there is no such board or
    a move is illegal.
    """

    def __new__(
        cls, side: int | str = 8, *, swap: bool = False, moves: str | Iterable[str | SupportsIndex] | None = None
    ) -> Position: ...

    @staticmethod
    def from_string(text: str, *, moves: str | Iterable[str | SupportsIndex] | None = None) -> Position:
        """The position that a position string says, such as `"4/5/6/3wb2/6/5/4 w"`, and then after these moves, a list or a
        string. Its stones are set up. `docs/gtp.md` describes the string. Raises `ValueError` if it is malformed or a move
        is illegal."""

    def to_string(self) -> str:
        """The position as one line: its rows from top to bottom, who is to move, and `swap` if the second player may still
        swap. Equal positions have equal strings, whatever the order of the moves was. A resignation is not in it."""

    @staticmethod
    def from_sgf(text: str | bytes) -> Position:
        """The position at the end of the first game in a text: SGF of HavannahGui, GoGui or Little Golem, or another
        format that `malecon sgf` reads. Raises `ValueError` with line and column if the text is malformed."""

    def to_sgf(self) -> str:
        """The game as SGF in the style of HavannahGui. Raises `ValueError` on a hexagon that is not regular: SGF has none."""

    @property
    def side(self) -> int:
        """The side length of the board; on a hexagon whose sides have other lengths, their mean, rounded."""
    @property
    def shape(self) -> str:
        """The board as a string: `"8"` on side 8, and the lengths of the sides of a hexagon that is not regular: `"4-4-5"`."""
    @property
    def swap(self) -> bool:
        """Whether the pie rule holds: the second player may take over the first stone."""
    @property
    def to_move(self) -> Color:
        """The player to move; after the end of the game, the opponent of the last to move."""
    @property
    def winner(self) -> Color | None:
        """The winner; `None` while the game goes on, and after a draw."""
    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
    @property
    def structures(self) -> list[Literal["bridge", "fork", "ring"]]:
        """The structures with which the game was won."""
    @property
    def winning_stones(self) -> dict[str, list[str]]:
        """The stones of each of these structures."""
    @property
    def legal_moves(self) -> list[str]:
        """The names of the legal moves: the empty vertices in their order, then a swap. Empty after the end."""
    @property
    def legal_indices(self) -> NDArray[np.int64]:
        """The indices of the same moves, in the same order."""
    @property
    def moves(self) -> list[str]:
        """What was played. A move out of turn, such as a handicap stone, has its colour in front: `"white:e5"`."""
    @property
    def board(self) -> NDArray[np.int8]:
        """The stones, by vertex: 1 for white, -1 for black, 0 for none."""

    def play(self, move: str | SupportsIndex) -> None:
        """Plays a move of the player to move, or of the colour in front of the name. `"resign"` ends the game.

        Raises `ValueError` if the move is illegal, `IndexError` if there is no such index; nothing has changed then.
        """
    def undo(self, count: int = 1) -> None:
        """Takes back the last moves. Raises `ValueError` if fewer were played; nothing has changed then."""
    def copy(self) -> Position:
        """The same game, to be continued apart."""
    def __copy__(self) -> Position: ...
    def __deepcopy__(self, _memo: Any) -> Position: ...
    def __getnewargs_ex__(self) -> tuple[tuple[int], dict[str, Any]]: ...
    def __getstate__(self) -> tuple[int, Color] | None: ...
    def __setstate__(self, state: tuple[int, str]) -> None: ...
    def __eq__(self, other: object, /) -> bool:
        """Whether both games have the same board, pie rule and moves."""
    def __ne__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

    @property
    def vertices(self) -> list[str]:
        """The names of all vertices of the board, by index: ordered by letter, then by number."""
    @property
    def coordinates(self) -> NDArray[np.int64]:
        """For each vertex, its letter and its number, both from 0: an array of vertices by 2. Two vertices are
        neighbours if they differ by (1, 0), (0, 1) or (1, 1)."""
    @property
    def symmetries(self) -> NDArray[np.int64]:
        """For each of the 12 symmetries of the board, the identity first, the index of the image of every vertex: an
        array of 12 by vertices. A hexagon that is not regular has four symmetries or two."""
    def image(self, symmetry: int) -> Position:
        """The same game under a symmetry, 0 to 11. Raises `IndexError` if there is no such symmetry."""

    def key(self, *, symmetric: bool = False) -> bytes:
        """A key for dictionaries and sets. Two positions have the same one if they are on the same board, with the same
        stones, player to move and choice to swap, whatever the order of the moves was; with `symmetric`, if one of the 12
        images of one is such a position. Positions after a resignation have keys of their own."""

    def features(self) -> NDArray[np.float32]:
        """What the network sees: an array of vertices by 127, of zeros and ones, for the player to move.
        `src/network/features.rs` lists them."""
    @property
    def policy(self) -> NDArray[np.float32]:
        """The network's probability that the player to move chooses a vertex, by index; 0 where there is a stone.
        Raises `ValueError` if the game is over."""
    @property
    def value(self) -> float:
        """The network's probability that the player to move wins. Raises `ValueError` if the game is over."""

    def svg(self, *, labels: Mapping[str, object] | None = None, line: str | Iterable[str] | None = None) -> str:
        """A picture of the board, with short texts on vertices and with a line of further moves as numbered stones: a list
        of vertices or a string of them. Raises `ValueError` for a name that is not a vertex, and for a line that has
        more moves than the board has vertices."""
    def _repr_svg_(self) -> str: ...

@final
class Session:
    """A game and the engine that thinks about it.

    A search lets other threads run, and Ctrl-C ends it with `KeyboardInterrupt` and without a move. Threads may share a
    session: the second one waits until the first is done. `think` starts a search beside the caller.

    `Session(side, **options)` is a new game on the board of this side length, with options by their names, such as
    `seed=1`, `level=3`, `threads=2`, `swap=True`, `network="file"`; `docs/gtp.md` lists all. With a seed, one thread
    and limits of simulations, the same calls return the same. Raises `ValueError` if there is no such board, option or
    value.

    `evaluator` is a function that judges positions in place of the network. It takes a `Batch` of n positions and returns
    a pair of arrays: the policy, n by vertices, as logits (those of occupied vertices do not matter), and the value, n
    chances of winning of the players to move, from 0 to 1. With `threads=16`, it gets up to 16 positions in one call. An
    exception ends the search and is raised there. The function can use no session.
    """

    def __new__(
        cls,
        side: int = 8,
        *,
        evaluator: Callable[[Batch], tuple[ArrayLike, ArrayLike]] | None = None,
        **options: bool | int | float | str | PathLike[str],
    ) -> Session: ...

    @property
    def position(self) -> Position:
        """A copy of the present position. It can be read while another thread searches."""
    def play(self, move: str | SupportsIndex) -> None:
        """Plays a move, as `Position.play` does."""
    def undo(self, count: int = 1) -> None:
        """Takes back the last moves. Raises `ValueError` if fewer were played; nothing has changed then."""
    def new_game(self, side: int | None = None) -> None:
        """Starts again, on the same board or on another one."""
    def set_position(self, position: Position | str) -> None:
        """Starts a new game in a position, with the moves that led to it: a `Position`, or a position string as
        `Position.from_string` reads it. The position says whether there may be a swap; the option `swap` is left as it is."""
    def load(self, text: str | bytes) -> None:
        """Takes over the first game of a text, as `Position.from_sgf` reads it. A game with the pie rule switches the option
        `swap` on."""
    def to_sgf(self) -> str:
        """The game as SGF, with the variations and comments that were loaded. With the option `annotate`, the engine's
        own moves have its chance of winning as a comment."""

    @property
    def options(self) -> dict[str, bool | int | float | str]:
        """The options with their present values."""
    def set_options(self, **options: bool | int | float | str | PathLike[str]) -> None:
        """Changes options, all or none. Raises `ValueError` for one that is wrong."""

    def analyze(self, simulations: int | None = None, seconds: float | None = None) -> Analysis:
        """Searches the position until a limit is reached or the result is proven. Without limits, that of the option
        `analysis_seconds` counts, and that of `simulations` if it is set. Raises `ValueError` if the game is over."""
    def think(self, simulations: int | None = None, seconds: float | None = None) -> Thinking:
        """Starts a search of the position and returns at once: a `Thinking`, which gives what has been found so far, and
        stops the search. Limits are those of `analyze`. The session can be used meanwhile, and moves do not disturb the
        search, but another search, a new game and changed options of the search stop it. Raises `ValueError` if the game
        is over."""
    def genmove(self, simulations: int | None = None, seconds: float | None = None) -> str:
        """Thinks about a move at the strength of the option `level`, plays it and returns it: a vertex or `"swap"`.
        With the option `resign` it may return `"resign"`, which is not played. Without limits, those of the options
        `simulations` or `seconds` count. Raises `ValueError` if the game is over."""
    def review(
        self, simulations: int | None = None, seconds: float | None = None, *, mistake: float = 0.1
    ) -> dict[str, Any]:
        """Reviews the game: each position is searched, for a second without other limits. A mistake is a move that
        lowers the player's chance of winning by at least `mistake`. Returns what `malecon review --to json` writes, as
        `docs/review.md` describes it."""

@final
class RunningSearch:
    """A search that runs beside its caller. If it is dropped, it stops."""

    def stop(self) -> None:
        """Asks the search to end. It does within a few milliseconds."""
    def next(self) -> tuple[Analysis, bool]:
        """Waits for what the search has found next, and returns it and whether it is the last; the last one again after
        the end. Raises what the evaluator raised, once, and `RuntimeError` if the search failed otherwise, or from then
        on."""
