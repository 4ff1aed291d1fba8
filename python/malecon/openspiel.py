"""A bot for OpenSpiel's game `havannah`. Needs the package `open_spiel`."""

from os.path import commonprefix

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("malecon.openspiel needs OpenSpiel: pip install open_spiel", name=error.name) from None

from ._engine import Session

__all__ = ["Bot"]


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
        parameters = state.get_game().get_parameters()
        side, swap = parameters["board_size"], parameters["swap"]
        if self._session.position.side != side:
            self._session.new_game(side)
        self._session.set_options(swap=swap)
        history = state.history()
        moves = [state.action_to_string(ply % 2, action) for ply, action in enumerate(history)]
        if len(history) > 1 and history[1] == history[0]:
            moves[1] = "swap"
        played = self._session.position.moves
        shared = len(commonprefix([played, moves]))
        self._session.undo(len(played) - shared)
        for move in moves[shared:]:
            self._session.play(move)
