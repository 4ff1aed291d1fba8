"""The command line of `malecon.cluster`."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import dask
from distributed import Client, LocalCluster

from malecon import Position, Solver
from malecon.results import Color

from . import DaskPool, Progress, Search, Settings, Work
from .estimate import Effort, estimate, mean_and_error
from .shards import run_shards, sprt_decision
from .simulate import Machines, simulate

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What `add_subparsers` returns."""

INTERRUPTED = 130
"""The exit status after Ctrl-C."""

MOST_PROVEN = 10_000
"""The most positions of a proof: `MAX_ROOTS` in the engine."""

LINE_EVERY = 30.0
"""Seconds between two lines of progress where stderr is no terminal."""


def arguments() -> argparse.ArgumentParser:
    """What the command line takes."""
    parser = argparse.ArgumentParser(
        prog="python -m malecon.cluster",
        description="Solves positions with many machines. docs/cluster.md is the guide.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for add in (add_solve, add_shards, add_simulate, add_estimate):
        add(commands)
    return parser


def add_solve(commands: Commands) -> None:
    """Adds the command that solves positions."""
    parser = commands.add_parser(
        "solve",
        help="find out who wins positions, and prove it",
        description="Finds out who wins positions on small boards, with many workers. Prints a line of JSON for each "
        "position. The same command goes on after an interruption.",
    )
    add_position(parser)
    parser.add_argument(
        "--positions",
        type=Path,
        metavar="FILE",
        help="solve these positions, such as 'malecon solve openings' prints, instead of the one after the moves",
    )
    parser.add_argument("--for", dest="player", choices=["white", "black"], help="ask only whether this player wins")
    parser.add_argument(
        "--folder",
        type=Path,
        required=True,
        metavar="DIR",
        help="keep in this folder what is found, and go on from there",
    )
    parser.add_argument("--proof", type=Path, metavar="FILE", help="write one proof of all positions to this file")
    add_number(
        parser,
        "--memory",
        1024,
        "megabytes of the solver's table in each worker process, for all of its jobs (default: %(default)s)",
        metavar="MB",
    )
    add_number(
        parser,
        "--threads",
        1,
        "threads that work on each job together (default: %(default)s). The numbers of nodes, but for --easy-nodes, are for "
        "each of them",
    )
    add_settings(parser)
    add_cluster(parser)
    parser.set_defaults(run=run_solve, goes_on=True)


def add_shards(commands: Commands) -> None:
    """Adds the command that runs shards of a command of the program."""
    parser = commands.add_parser(
        "shards",
        help="run a command of the program that takes --shard",
        description="Runs a command for each of N shards: '{}' stands for the number of the shard, '{n}' for N. All "
        "workers must see this folder. The same command goes on after an interruption.",
        epilog="python -m malecon.cluster shards --count 100 --folder run -- malecon learn play --games 10000 --seed 7 "
        "--shard {}/{n} --out run/{}.jsonl --resume",
    )
    parser.add_argument("--count", type=at_least_one, required=True, metavar="N", help="how many shards there are")
    parser.add_argument(
        "--folder", type=Path, required=True, metavar="DIR", help="keep in this folder which shards are done"
    )
    parser.add_argument(
        "--sprt",
        metavar="ELO0,ELO1",
        help="of a match whose shards have --out DIR/{}: stop as soon as this sequential test decides",
    )
    parser.add_argument("words", nargs="+", metavar="COMMAND", help="the command, after '--'")
    add_cluster(parser)
    parser.set_defaults(run=run_command, goes_on=True)


def add_simulate(commands: Commands) -> None:
    """Adds the command that simulates workers."""
    usual = Machines()
    parser = commands.add_parser(
        "simulate",
        help="how fast many workers would solve a position",
        description="Solves a position with simulated workers. The jobs are real; the clock is simulated. Prints a "
        "table.",
    )
    add_position(parser)
    parser.add_argument(
        "--workers", default="1,16,64,256,1024", metavar="N,…", help="numbers of workers (default: %(default)s)"
    )
    add_number(parser, "--threads", usual.threads, "how many of them are on one machine (default: %(default)s)")
    add_number(
        parser, "--memory", usual.memory, "megabytes of the table of each machine (default: %(default)s)", metavar="MB"
    )
    parser.add_argument(
        "--speed",
        type=float,
        default=usual.speed,
        metavar="N",
        help="nodes that a worker visits in a second (default: 1e6)",
    )
    parser.add_argument(
        "--latency",
        type=float,
        default=usual.latency,
        metavar="S",
        help="seconds that a job takes besides (default: 0.005)",
    )
    add_settings(parser)
    parser.set_defaults(run=run_simulation, goes_on=False)


def add_estimate(commands: Commands) -> None:
    """Adds the command that estimates the work that a position will be."""
    usual = Effort()
    parser = commands.add_parser(
        "estimate",
        help="how much work a position will be",
        description="Estimates from random samples how many nodes the solver visits to show that a player wins. Prints a "
        "table with a line for each sample, and the mean of the samples so far with its standard error. Several "
        "processes can share the work, each with a seed of its own.",
    )
    add_position(parser)
    parser.add_argument("--for", dest="player", choices=["white", "black"], required=True, help="who wins")
    add_number(parser, "--samples", 100, "the number of samples (default: %(default)s)")
    add_number(
        parser,
        "--leaf-nodes",
        usual.leaf_nodes,
        "a sample ends in a position that takes at most so many nodes: the more, the smaller the error (default: "
        "%(default)s)",
    )
    add_number(
        parser,
        "--look-nodes",
        usual.look_nodes,
        "nodes of a look at each move, which shows how much it seems to need (default: %(default)s)",
    )
    add_number(
        parser,
        "--memory",
        usual.memory,
        "megabytes of the solver's table (default: %(default)s)",
        metavar="MB",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the random choices (default: 1)")
    parser.set_defaults(run=run_estimate, goes_on=False)


SETTINGS = [
    ("--first-nodes", "first_nodes", "nodes that the first job of a position may visit"),
    ("--most-nodes", "most_nodes", "the most nodes of a job"),
    ("--split-nodes", "split_nodes", "divide a position after this many nodes"),
    ("--hard-nodes", "hard_nodes", "divide a position after this many nodes if a worker has nothing better to do"),
    ("--easy-nodes", "easy_nodes", "nodes for a look at each position when a position is divided"),
]
"""The options that divide the work: name, field of `Settings`, and what it is."""


def add_position(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments that name a position."""
    parser.add_argument("moves", nargs="*", metavar="VERTEX", help="the moves that lead to the position")
    parser.add_argument(
        "--side", default="4", metavar="N", help="side length of the board, or such as 4-4-5 (default: 4)"
    )


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Adds the options that divide the work."""
    usual = Settings()
    for name, field, what in SETTINGS:
        add_number(parser, name, getattr(usual, field), f"{what} (default: %(default)s)")


def add_number(parser: argparse.ArgumentParser, name: str, default: int, what: str, *, metavar: str = "N") -> None:
    """Adds an option that takes a whole number from 1."""
    parser.add_argument(name, type=at_least_one, default=default, metavar=metavar, help=what)


def at_least_one(text: str) -> int:
    """A whole number from 1."""
    number = int(text)
    if not 1 <= number < 1 << 62:
        raise argparse.ArgumentTypeError(f"{text} (expected at least 1)")
    return number


def settings_of(options: argparse.Namespace, threads: int = 1) -> Settings:
    """How the work is divided, with so many threads for each job."""
    return Settings(**{field: getattr(options, field) for _, field, _ in SETTINGS}, threads=threads)


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say which workers there are."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--scheduler", metavar="ADDRESS", help="use the workers of this Dask scheduler, such as tcp://host:8786"
    )
    which.add_argument(
        "--scheduler-file", metavar="FILE", help="use the workers of the scheduler that has written this file"
    )
    which.add_argument(
        "--workers",
        type=at_least_one,
        metavar="N",
        help="do so many jobs at a time on this machine (default: as many as keep all cores busy)",
    )


@contextmanager
def client(options: argparse.Namespace, threads: int = 1) -> Iterator[Client]:
    """A client of the scheduler that the options name, or of workers that are started here. Each job has so many threads."""
    if options.scheduler is not None or options.scheduler_file is not None:
        with Client(options.scheduler, scheduler_file=options.scheduler_file) as found:
            yield found
        return
    # What workers say when others end is of no use to whoever reads the progress.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    # A worker that dies is started again. If that takes long, on a busy machine, Dask is not to give it up.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1000 days"})
    # One process, so that all jobs share a table. Dask would stop a process whose table grows, but the table has a limit
    # of its own.
    try:
        local = LocalCluster(
            n_workers=1,
            threads_per_worker=options.workers or max(1, (os.cpu_count() or 1) // threads),
            memory_limit=0,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        )
    except RuntimeError as error:
        raise ConnectionError(f"the workers of this machine do not start: {error}") from error
    with local, Client(local) as found:
        yield found


def read_positions(options: argparse.Namespace) -> list[tuple[dict[str, Any], Position]]:
    """The positions to solve, each with what names it."""
    if options.positions is None:
        position = Position(options.side, moves=options.moves)
        return [({"board": position.shape, "moves": options.moves}, position)]
    found = []
    for number, line in enumerate(options.positions.read_text(encoding="utf-8-sig").splitlines(), 1):
        if not line.strip():
            continue
        try:
            named = json.loads(line)
            position = read_position(named)
            if position.is_over:
                raise ValueError("the game is over: there is nothing to solve")
            found.append((named, position))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{options.positions}:{number}: {error}") from error
    if not found:
        raise ValueError(f"{options.positions}: there is no position to solve")
    return found


def read_position(named: dict[str, Any]) -> Position:
    """A position as a line of `malecon solve openings` names it."""
    moves = named.get("moves", [])
    if "position" in named:
        position = Position.from_string(named["position"], moves=moves)
    else:
        position = Position(str(named.get("board") or named["side"]), moves=moves)
    turn = named.get("to_move")
    if turn is not None and position.to_move[0] != turn:
        stones, _ = position.to_string().split(" ", 1)
        position = Position.from_string(f"{stones} {turn}")
    return position


class Reporter:
    """Shows progress on stderr: on a terminal in one line, else in a line now and then."""

    def __init__(self) -> None:
        self._shown = -LINE_EVERY
        self._on_terminal = sys.stderr.isatty()

    def __call__(self, progress: Progress) -> None:
        if not self._on_terminal and time.monotonic() - self._shown < LINE_EVERY:
            return
        self._shown = time.monotonic()
        text = (
            f"{progress.solved} of {progress.positions} solved, {progress.running} running, "
            f"{progress.divided} divided; "
            f"{progress.nodes / 1e6:.1f} million nodes, {progress.nodes_per_second / 1e6:.2f} a second; "
            f"at least {progress.proof:.0f} to settle; {progress.seconds:.0f} s"
        )
        print(
            f"\r\x1b[K{text}" if self._on_terminal else text,
            end="" if self._on_terminal else "\n",
            file=sys.stderr,
            flush=True,
        )

    def end(self) -> None:
        """Ends the line."""
        if self._on_terminal:
            print(file=sys.stderr)


def run_solve(options: argparse.Namespace) -> None:
    """Solves positions."""
    named = read_positions(options)
    player: Color | None = options.player
    # Says what is wrong before workers are started, and not when the work is done.
    settings = settings_of(options, options.threads)
    if options.proof is not None:
        if not options.proof.absolute().parent.is_dir():
            raise ValueError(f"{options.proof.parent}: there is no such folder for the proof")
        distinct = len({position.key(symmetric=True) for _, position in named})
        if distinct > MOST_PROVEN:
            raise ValueError(f"{distinct} positions are too many for one proof (expected {MOST_PROVEN} or less)")
    asked = [(position, player) for _, position in named]
    Search(asked)
    Solver(named[0][1].shape, memory=1)
    report = Reporter()
    with (
        client(options, options.threads) as found,
        closing(Work(DaskPool(found), asked, options.folder, memory=options.memory, settings=settings)) as work,
    ):
        try:
            work.run(report)
        finally:
            report.end()
        for (names, _), result in zip(named, work.results(), strict=True):
            question = {} if player is None else {"for": player, "wins": result.wins}
            print(json.dumps({**names, **question, "value": result.value, "best": result.best}), flush=True)
        if options.proof is not None:
            print("the proofs are being joined", file=sys.stderr)
            work.write_proof(options.proof)


def run_command(options: argparse.Namespace) -> int:
    """Runs a command in shards."""

    def is_decided() -> bool:
        if options.sprt is None:
            return False
        decision = sprt_decision(options.words[0], options.folder.glob("*/games.jsonl"), options.sprt)
        if decision != "undecided":
            print(f"the sequential test has decided: {decision}", file=sys.stderr)
        return decision != "undecided"

    def report(done: int) -> None:
        print(f"{done} of {options.count} shards done", file=sys.stderr, flush=True)

    with client(options) as found:
        failed = run_shards(found, options.words, options.count, options.folder, is_decided=is_decided, report=report)
    for ended in failed:
        print(f"error: shard {ended.shard} ended with status {ended.status}: {ended.message}", file=sys.stderr)
    return 1 if failed else 0


def run_simulation(options: argparse.Namespace) -> None:
    """Simulates workers."""
    position = Position(options.side, moves=options.moves)
    numbers = [int(number) for number in options.workers.split(",")]
    if min(numbers) < 1:
        raise ValueError(f"invalid number of workers {min(numbers)} (expected at least 1)")
    machines = Machines(options.threads, options.memory, options.speed, options.latency)
    print("workers  seconds  times as fast  times the nodes   jobs  search ms a job")
    for row in simulate([(position, None)], numbers, machines, settings=settings_of(options)):
        search = 1000 * row.seconds_of_search / row.jobs
        print(
            f"{row.workers:7} {row.seconds:8.2f} {row.speedup:14.1f} {row.share:16.2f} {row.jobs:6} {search:16.2f}",
            flush=True,
        )


def run_estimate(options: argparse.Namespace) -> None:
    """Estimates the work that a position will be."""
    position = Position(options.side, moves=options.moves)
    effort = Effort(options.leaf_nodes, options.look_nodes, options.memory)
    samples = estimate(position, options.player, effort, seed=options.seed)
    print("sample      nodes       mean      error", flush=True)
    found: list[float] = []
    for nodes in islice(samples, options.samples):
        found.append(nodes)
        mean, error = mean_and_error(found)
        print(f"{len(found):6} {nodes:10.3g} {mean:10.3g} {error:10.3g}", flush=True)


def main() -> int:
    """Runs a command, and returns the exit status."""
    options = arguments().parse_args()
    try:
        status: int | None = options.run(options)
        return status or 0
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here" if options.goes_on else "stopped", file=sys.stderr)
        return INTERRUPTED
    except (ConnectionError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
