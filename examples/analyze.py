#!/usr/bin/env python3
"""Analyses a game of Havannah with `malecon analyze` and shows where it was lost.

    python3 examples/analyze.py --side 4 d4 c3 d5 c4 d3

Every position is searched; the table shows White's chance of winning after each move, and what the engine would have
played instead. docs/analysis.md describes the queries. This file needs nothing but Python 3.8 or later.
"""

import argparse
import json
import subprocess
import threading


class Engine:
    """A running engine. Queries are sent at once; answers are sorted by the id of their query."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lock = threading.Lock()
        self.count = 0

    def ask(self, **query):
        """Sends a query and returns its id."""
        with self.lock:
            self.count += 1
            query["id"] = str(self.count)
            self.process.stdin.write(json.dumps(query) + "\n")
            self.process.stdin.flush()
            return query["id"]

    def answers(self):
        """Closes the input and yields the answers as they come."""
        self.process.stdin.close()
        for line in self.process.stdout:
            answer = json.loads(line)
            if "error" in answer:
                raise SystemExit(f"the engine does not answer: {answer['error']}")
            if "warning" not in answer:
                yield answer
        self.process.wait()


def white_chance(answer):
    """White's chance of winning. The engine reports that of the player to move."""
    chance = answer["win_rate"]
    return chance if answer["to_move"] == "white" else 1 - chance


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--engine", default="malecon", help="the program (default: malecon)")
    parser.add_argument("--side", type=int, default=6)
    parser.add_argument("--simulations", type=int, default=1000, help="simulations for each position (default: 1000)")
    parser.add_argument("--searches", type=int, default=1, help="positions at the same time (default: 1)")
    parser.add_argument("moves", nargs="+", metavar="MOVE")
    arguments = parser.parse_args()

    engine = Engine([arguments.engine, "analyze", "--searches", str(arguments.searches)])
    turns = list(range(len(arguments.moves) + 1))
    engine.ask(side=arguments.side, moves=arguments.moves, turns=turns, simulations=arguments.simulations, want=["moves"])
    answers = {answer["turn"]: answer for answer in engine.answers()}

    print("move   played  white wins  better")
    for turn, move in enumerate(arguments.moves):
        before, after = answers[turn], answers[turn + 1]
        better = "" if before["best"] == move else before["best"]
        print(f"{turn + 1:4}   {move:6}  {100 * white_chance(after):8.1f} %  {better}".rstrip())


if __name__ == "__main__":
    main()
