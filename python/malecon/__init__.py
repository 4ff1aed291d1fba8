"""The board game Havannah: rules, analysis and a strong opponent.

>>> import malecon
>>> position = malecon.Position(side=8)
>>> position.play("h8")
>>> position.to_move
'black'

`Position` is a game with its rules, `Session` an engine that plays and analyses one, `Thinking` a search that it has
started. `malecon.openspiel` has a bot for
OpenSpiel, `malecon.env` the game as an environment of PettingZoo.
"""

from ._engine import FEATURES, Position, Session, __version__, evaluate, features
from .results import Analysis, AnalyzedMove
from .thinking import Thinking

__all__ = [
    "FEATURES",
    "Analysis",
    "AnalyzedMove",
    "Position",
    "Session",
    "Thinking",
    "__version__",
    "evaluate",
    "features",
]
