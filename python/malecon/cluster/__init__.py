"""Work for many machines, over Dask: solving positions, and commands of the program.

`python -m malecon.cluster solve` finds out who wins positions that are too hard for one machine, and proves it;
`docs/cluster.md` is the guide. A program of yours uses a Dask client:

>>> from distributed import Client
>>> from malecon import Position
>>> from malecon.cluster import DaskPool, solve
>>> with Client(n_workers=1, threads_per_worker=2, memory_limit=0) as client:  # doctest: +SKIP
...     solve(DaskPool(client), [(Position("3-3-4", moves="b2"), None)], Path("b2"))

| module | contents |
|---|---|
| `search` | the tree of positions, and which of them to work on next |
| `solve` | the work from the first job to the proof |
| `journal` | the folder that keeps what was found |
| `jobs` | what a worker does |
| `pool` | the workers of Dask |
| `shards` | commands of the program in shards |
| `simulate` | what more workers would gain |
| `estimate` | how much work a position will be |
"""

from .pool import DaskPool, Pool
from .search import Search, Settings
from .solve import Progress, Result, Work, solve

__all__ = ["DaskPool", "Pool", "Progress", "Result", "Search", "Settings", "Work", "solve"]
