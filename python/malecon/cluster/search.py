"""A proof-number search whose leaves are jobs for the solver: which job should a worker do next?

The tree has the positions that were divided so far, with the player to move in each. Positions that are images of each
other are one. For each player there is a pair of numbers: how much must be settled at least to show that the player
wins, and to show that the player does not. A job gives a leaf its value, or new numbers. A leaf that took long is
divided into the positions after each move. So is a hard one that is being worked on while another worker has nothing
better to do: its job is asked to end.

The number of a move is multiplied by a weight, as the solver does it: the less probable the move is for the network, the
greater the weight. So later moves wait until earlier ones disappoint.

One worker would always take the leaf that the numbers name. Several take those that it would probably take later: the
numbers also say how likely it is that a player wins, and so whether a move will still have to be looked at when those
before it are settled. Where the player to move seems to win, that is unlikely; where the player to move seems to lose,
all moves must be refuted, and many workers can do so at the same time. (Job-level proof-number search, Wu et al. 2013,
makes the numbers of running jobs greater instead. Then most workers look at moves that nobody needs.)

Nothing here knows how or where jobs run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from math import inf
from typing import Literal

from malecon import Position, Solution
from malecon.results import Color

Value = Color | Literal["draw"]
Numbers = tuple[float, float]
"""How much must be settled to show that a player wins, and that the player does not win."""

OTHER: dict[Color, Color] = {"white": "black", "black": "white"}
COLORS: tuple[Color, Color] = ("white", "black")

WON: Numbers = (0.0, inf)
NOT_WON: Numbers = (inf, 0.0)

CERTAINTY = 0.5
"""The odds that a player with the numbers p and d wins are d / p to this power."""

DIVISION = 0.99
"""A running job about a hard position is asked to end, so that the position is divided, unless there is another job that
is needed with at least this chance."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the work is divided. Raises `ValueError` if a number makes no sense."""

    first_nodes: int = 1_000_000
    """The nodes that the first job of a position may visit: a second of work."""
    growth: int = 4
    """How many times as many nodes the next job of the same position may visit."""
    most_nodes: int = 64_000_000
    """The most nodes of a job: results are kept, and the work is divided anew, about once a minute."""
    split_nodes: int = 256_000_000
    """A position is divided when the solver has visited this many nodes for it in vain."""
    hard_nodes: int = 4_000_000
    """A position that took this many nodes is divided if a worker has nothing better to do."""
    easy_nodes: int = 500
    """When a position is divided, the solver looks at each of the new ones with so many nodes. Most of them are settled
    by that, and need no job."""
    threads: int = 1
    """How many threads work on each job. `first_nodes`, `most_nodes`, `split_nodes` and `hard_nodes` are for each of
    them."""

    def __post_init__(self) -> None:
        for each in fields(self):
            number = getattr(self, each.name)
            if number < 1:
                raise ValueError(f"invalid {each.name} {number} (expected at least 1)")


@dataclass(slots=True, eq=False)
class Node:
    """A position of the tree."""

    position: Position
    root: Position
    """The position to solve from which it follows. If it follows from several, it is that of the first."""
    numbers: dict[Color, Numbers]
    """For each player, those of the position."""
    need: dict[Color, float]
    """If it must be known whether this player wins: how likely it is that the job in or below this position that a worker
    should begin next is needed for that; 0 if there is none."""
    parents: list[Node] = field(default_factory=list)
    children: list[Child] | None = None
    """The positions after its moves, in the order in which the network would try them; `None` for a leaf."""
    value: Value | None = None
    best: str | None = None
    """With a value, a move that keeps it, if the player to move does not lose."""
    nodes: int = 0
    """The nodes that finished jobs visited for it."""
    running: Job | None = None
    home: str | None = None
    """The worker that had the last job about it, or about the position before: its solver knows most."""
    cannot_win: set[Color] = field(default_factory=set)
    """Players of whom a job has shown that they do not win."""


@dataclass(frozen=True, slots=True)
class Child:
    """A move, and the position after it."""

    move: str
    weight: float
    """How many times as great its first number counts for the player who moves: the network's advice."""
    node: Node


@dataclass(frozen=True, slots=True)
class Below:
    """What a job has found about the position after a move, when it divided its position."""

    move: str
    weight: float
    found: Solution


@dataclass(slots=True, eq=False)
class Job:
    """Work for a worker: solve a position within a number of nodes."""

    node: Node
    root: Root
    nodes: int
    divide: bool
    """Whether to divide the position if it is not solved."""
    is_stopped: bool = False
    """Whether it was asked to end."""


@dataclass(slots=True, eq=False)
class Root:
    """A position to solve."""

    position: Position
    node: Node
    player: Color | None
    """Whether this player wins is asked; `None` to ask for the value."""
    nodes: int = 0
    """The nodes visited for it, and those that running jobs may visit."""
    running: int = 0
    """How many jobs are running for it."""

    @property
    def question(self) -> Color:
        """The player of whom it is asked now whether it wins: the player to move, and then the opponent."""
        to_move = self.node.position.to_move
        return self.player or (to_move if self.node.numbers[to_move] != NOT_WON else OTHER[to_move])

    @property
    def least(self) -> float:
        """How much must be settled at least to answer the question."""
        return min(self.node.numbers[self.question])

    @property
    def best(self) -> str | None:
        """A move that keeps the value, if there is one and it is known."""
        best = self.node.best
        return best and _names_from(self.node.position, _bare(self.position))[best]

    @property
    def is_settled(self) -> bool:
        """Whether the question is answered."""
        if self.player is None:
            return self.node.value is not None
        return self.node.numbers[self.player] in (WON, NOT_WON)

    @property
    def wins(self) -> bool | None:
        """Whether the player who was asked about wins; `None` if nobody was, or it is not known."""
        if self.player is None or not self.is_settled:
            return None
        return self.node.numbers[self.player] == WON


class Search:
    """The tree, and which of its leaves to work on."""

    def __init__(self, roots: Iterable[tuple[Position, Color | None]], settings: Settings | None = None) -> None:
        """A search for the values of these positions, or whether the players named beside them win.

        Raises `ValueError` if a game is over, or if the positions are not on one board.
        """
        self.settings = settings or Settings()
        self.nodes: dict[bytes, Node] = {}
        self.roots: list[Root] = []
        # Jobs that were asked to end so that their positions are divided.
        self._ending: set[Job] = set()
        self._known: dict[bytes, list[tuple[Position, Solution, list[Below]]]] = {}
        asked = list(roots)
        boards = sorted({position.shape for position, _ in asked})
        if len(boards) != 1:
            raise ValueError(f"all positions must be on one board, not on {', '.join(boards) or 'none'}")
        for position, player in asked:
            if position.is_over:
                raise ValueError("the game is over: there is nothing to solve")
            bare = _bare(position)
            self.roots.append(Root(position, self._node(bare, bare), player))

    # The work.

    @property
    def is_done(self) -> bool:
        """Whether all questions are answered."""
        return all(root.is_settled for root in self.roots)

    def next_jobs(self, idle: Iterable[str]) -> Iterator[tuple[str, Job]]:
        """Jobs for those of the workers that have nothing to do, which they must begin. For each worker without one,
        `is_stopped` of a running job is set, if possible, so that its position is divided. A worker that can do several
        jobs is named as often."""
        waiting = 0
        for worker in idle:
            root, leaf = self._next_leaf(worker)
            if leaf is None:
                # Then there is none for the others either.
                return
            if leaf.running is None:
                yield worker, self._begin(root, leaf, worker)
                continue
            waiting += 1
            if len(self._ending) < waiting:
                leaf.running.is_stopped = True
                self._ending.add(leaf.running)
                self._propagate(leaf)

    def finish(self, job: Job, found: Solution, below: Iterable[Below] = ()) -> None:
        """Takes the result of a job, and what it says about the positions below if it divided its position."""
        node = self._end(job)
        job.root.nodes += found.nodes
        self._learn(node, found, below)
        self._propagate(node)

    def give_up(self, job: Job) -> None:
        """Takes back a job that has no result because its worker is gone."""
        self._propagate(self._end(job))

    def stop_needless(self, jobs: Iterable[Job]) -> None:
        """Sets `is_stopped` of those of the running jobs whose results no longer matter."""
        open_roots = {id(root.node) for root in self.roots if not root.is_settled}
        for job in jobs:
            is_needed = job.node.value is None and any(id(node) in open_roots for node in _above(job.node))
            job.is_stopped = job.is_stopped or not is_needed

    # What was found before.

    def learn(self, position: Position, found: Solution, below: Iterable[Below] = ()) -> None:
        """Takes what a job of an earlier run has found about a position, or keeps it until the position comes up."""
        node = self.nodes.get(position.key(symmetric=True))
        if node is None:
            self._known.setdefault(position.key(symmetric=True), []).append((position, found, list(below)))
            return
        names = _names_from(position, node.position)
        found = replace(found, best=found.best and names[found.best])
        for root in self.roots:
            root.nodes += found.nodes if root.node is node else 0

        def renamed(each: Below) -> Below:
            best = each.found.best and names[each.found.best]
            return replace(each, move=names[each.move], found=replace(each.found, best=best))

        self._learn(node, found, map(renamed, below))
        self._propagate(node)

    # The proof.

    def winning_moves(self) -> Iterator[tuple[Position, str]]:
        """For each position that was divided and is won by the player to move, a winning move."""
        for node in self.nodes.values():
            if node.children and node.best is not None and node.value == node.position.to_move:
                yield node.position, node.best

    # The tree.

    def _next_leaf(self, worker: str) -> tuple[Root, Node] | tuple[None, None]:
        """The leaf that a worker should work on, and the position for which it does; if a job is running there, it would
        have to end first."""

        def order(root: Root) -> tuple[bool, int, int, bool, float]:
            is_known = root.node.home in (None, worker)
            return root.nodes > 0, root.running, -(root.nodes.bit_length() // 2), not is_known, -root.least

        # After a first look at each of them, the hardest are first, so that workers do not wait for them in the end.
        for root in sorted((root for root in self.roots if not root.is_settled), key=order):
            leaf = self._leaf(root, worker)
            if leaf is not None:
                return root, leaf
        return None, None

    def _leaf(self, root: Root, worker: str) -> Node | None:
        """The leaf that a worker should work on for a question."""
        node, player = root.node, root.question
        while node.need[player] > 0 and node.children is not None:
            _, node = _most_needed(node, player, worker)
        return node if node.need[player] > 0 else None

    def _begin(self, root: Root, node: Node, worker: str) -> Job:
        settings = self.settings
        next_nodes = settings.first_nodes * settings.threads if node.nodes == 0 else node.nodes * settings.growth
        nodes = min(next_nodes, settings.most_nodes * settings.threads)
        job = Job(node, root, nodes, divide=node.nodes + nodes >= settings.split_nodes * settings.threads)
        node.running, node.home = job, worker
        root.nodes += job.nodes
        root.running += 1
        self._propagate(node)
        return job

    def _end(self, job: Job) -> Node:
        job.root.nodes -= job.nodes
        job.root.running -= 1
        self._ending.discard(job)
        if job.node.running is job:
            job.node.running = None
        return job.node

    def _learn(self, node: Node, found: Solution, below: Iterable[Below]) -> None:
        """Gives a node what a job has found, in the coordinates of its position."""
        node.nodes += found.nodes
        if node.value is not None:
            return
        self._take(node, found)
        if node.value is None and node.children is None:
            self._split(node, below)

    def _take(self, node: Node, found: Solution) -> None:
        """Gives a node a value, or numbers, which matter while it is a leaf."""
        if found.value is not None:
            node.value, node.best = found.value, found.best
            self._keep_best(node)
        elif found.player is not None:
            node.numbers = numbers_of(node.position, found)
            node.cannot_win |= {color for color in COLORS if node.numbers[color] == NOT_WON}
            self._apply(node)

    def _split(self, node: Node, below: Iterable[Below]) -> None:
        """Gives a leaf its children, if there are any."""
        children: dict[int, Child] = {}
        for each in below:
            after = node.position.copy()
            after.play(each.move)
            child = self._node(after, node.root)
            if child.value is None and child.children is None and child.nodes == 0:
                best = each.found.best
                self._take(child, replace(each.found, best=best and _names_from(after, child.position)[best]))
                child.home = node.home
                self._propagate(child)
            if id(child) not in children:
                child.parents.append(node)
                children[id(child)] = Child(each.move, each.weight, child)
        if children:
            node.children = list(children.values())

    def _node(self, position: Position, root: Position) -> Node:
        """The node of a position that follows from a root. If it is new, nothing is known of it."""
        key = position.key(symmetric=True)
        node = self.nodes.get(key)
        if node is None:
            numbers, need = {color: (1.0, 1.0) for color in COLORS}, {color: 1.0 for color in COLORS}
            node = Node(position, root, numbers, need)
            if position.is_over:
                node.value = position.winner or "draw"
            self.nodes[key] = node
            self._refresh(node)
            for known in self._known.pop(key, []):
                self.learn(*known)
        return node

    def _refresh(self, node: Node) -> bool:
        """Computes a node's numbers and value anew from its children or its job. Returns whether anything changed."""
        before = (node.value, dict(node.numbers), dict(node.need))
        if node.value is None and node.children is not None:
            self._combine(node)
        if node.value is not None:
            node.numbers = _settled(node.value)
        for color in COLORS:
            node.need[color] = self._need(node, color)
        return before != (node.value, node.numbers, node.need)

    def _need(self, node: Node, player: Color) -> float:
        """How likely it is that the next job in or below a position is needed to find out whether a player wins."""
        if node.numbers[player] in (WON, NOT_WON):
            return 0.0
        if node.children is not None:
            return _most_needed(node, player)[0]
        if node.running is None:
            return 1.0
        # A position is divided while it is worked on if it has turned out to be hard.
        is_hard = node.nodes >= self.settings.hard_nodes * self.settings.threads
        return DIVISION if is_hard and not node.running.is_stopped else 0.0

    def _combine(self, node: Node) -> None:
        """The numbers and the value of a node with children."""
        assert node.children is not None
        to_move, below = node.position.to_move, [child.node for child in node.children]
        for color in COLORS:
            # Which of the two numbers the player to move can choose, and which is the sum over all moves.
            chosen, summed = (0, 1) if color == to_move else (1, 0)
            least = min(child.weight * child.node.numbers[color][chosen] for child in node.children)
            total = sum(child.numbers[color][summed] for child in below)
            node.numbers[color] = (least, total) if color == to_move else (total, least)
        self._apply(node)
        winner = next((color for color in COLORS if node.numbers[color][0] == 0), None)
        if winner is not None:
            node.value = winner
        elif all(node.numbers[color][1] == 0 for color in COLORS):
            node.value = "draw"
        self._keep_best(node)

    def _apply(self, node: Node) -> None:
        """Who cannot win, cannot win, whatever the numbers below are."""
        for color in node.cannot_win:
            node.numbers[color] = NOT_WON

    def _keep_best(self, node: Node) -> None:
        """Finds a move that keeps the value, if a child shows one and none is known."""
        if node.value is not None and node.best is None and node.value != OTHER[node.position.to_move]:
            keeps = (child.move for child in node.children or [] if child.node.value == node.value)
            node.best = next(keeps, None)

    def _propagate(self, node: Node) -> None:
        """Computes a node anew, and all above it that this changes."""
        self._refresh(node)
        changed = [node]
        while changed:
            # All of these have the same number of stones. So each node is computed once.
            parents = dict.fromkeys(parent for node in changed for parent in node.parents)
            changed = [parent for parent in parents if self._refresh(parent)]


def numbers_of(position: Position, found: Solution) -> dict[Color, Numbers]:
    """What a solver has found out about a position, as the numbers of both players."""
    if found.value is not None:
        return _settled(found.value)
    player = found.player or position.to_move
    proof, disproof = float(found.proof or 1), float(found.disproof or 1)
    # The solver asks about the opponent once it knows that the player to move cannot win.
    of_other = (disproof, proof) if player == position.to_move else NOT_WON
    return {player: (proof, disproof), OTHER[player]: of_other}


def _settled(value: Value) -> dict[Color, Numbers]:
    """The numbers of both players in a position with this value."""
    return {color: WON if value == color else NOT_WON for color in COLORS}


def _most_needed(node: Node, player: Color, worker: str | None = None) -> tuple[float, Node]:
    """Of the positions after each move, the one whose next job is most likely to be needed to find out whether a player
    wins, and how likely that is. Of equal ones, it is the first that the worker knows."""
    assert node.children is not None
    # The player who asks looks for the move that is proven most easily, the opponent for the one that is refuted most
    # easily.
    number = 0 if node.position.to_move == player else 1
    children = [child for child in node.children if 0 < child.node.numbers[player][number] < inf]
    most, best = (0.0, False), node
    # How likely it is that the moves before do not settle the matter.
    need = 1.0
    for child in sorted(children, key=lambda child: child.weight * child.node.numbers[player][number]):
        if need < most[0]:
            break
        choice = (need * child.node.need[player], child.node.home == worker)
        if choice > most:
            most, best = choice, child.node
        numbers = child.node.numbers[player]
        need /= 1 + (numbers[1 - number] / numbers[number]) ** CERTAINTY
    return most[0], best


def _above(node: Node) -> Iterator[Node]:
    """A node, and all that are above it and not settled."""
    seen, waiting = {id(node)}, [node]
    while waiting:
        node = waiting.pop()
        yield node
        for parent in node.parents:
            if parent.value is None and id(parent) not in seen:
                seen.add(id(parent))
                waiting.append(parent)


def _bare(position: Position) -> Position:
    """A position without the moves that led to it, and without the swap."""
    return Position.from_string(position.to_string().removesuffix(" swap"))


def _names_from(image: Position, position: Position) -> dict[str, str]:
    """For each vertex of an image of a position, that of the position."""
    if image.key() == position.key():
        return {name: name for name in position.vertices}
    symmetry = next(k for k in range(len(image.symmetries)) if image.image(k).key() == position.key())
    return dict(zip(image.vertices, (position.vertices[i] for i in image.symmetries[symmetry]), strict=True))
