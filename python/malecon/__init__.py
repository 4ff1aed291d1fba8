"""The board game Havannah: rules, analysis and a strong opponent.

>>> import malecon
>>> position = malecon.Position(side=8)
>>> position.play("h8")
>>> position.to_move
'black'

`Position` is a game with its rules, `Session` an engine that plays and analyses one, `Thinking` a search that it has
started, and `Games` are many games side by side. `solve` and a `Solver` find out who wins on a small board, and
`check_proof` checks a proof of it. `malecon.openspiel` has a bot and an evaluator for OpenSpiel, `malecon.env` the game
as an environment of PettingZoo, `malecon.vector` many games as one of Gymnasium, and `malecon.kaggle` an agent for
kaggle-environments. `malecon.cluster` solves positions on many machines.
"""

from ._engine import (
    FEATURES,
    Batch,
    Games,
    Position,
    Session,
    Solver,
    __version__,
    check_proof,
    evaluate,
    features,
    solve,
)
from .results import Analysis, AnalyzedMove, Proof, Solution
from .thinking import Thinking

__all__ = [
    "FEATURES",
    "Analysis",
    "AnalyzedMove",
    "Batch",
    "Games",
    "Position",
    "Proof",
    "Session",
    "Solution",
    "Solver",
    "Thinking",
    "__version__",
    "check_proof",
    "evaluate",
    "features",
    "solve",
]
