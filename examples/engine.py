#!/usr/bin/env python3
"""An engine for `malecon match` that plays at random: all that the referee needs. Put your own search into `choose`.

malecon match --engine random='python3 examples/engine.py' --engine malecon='malecon gtp --level 1' --side 5 --games 10
"""

import random
import sys

side, stones = 8, {}  # The stones by vertex: "white" or "black".


def choose(color):
    """A move: a letter counts columns, a number rows, and they differ by less than the side length."""
    size = range(2 * side - 1)
    names = [f"{chr(ord('a') + x)}{y + 1}" for x in size for y in size if abs(x - y) < side]
    return random.choice([name for name in names if name not in stones])


def answer(command, *arguments):
    global side
    if command in ("boardsize", "clear_board"):
        side = int(arguments[0]) if arguments else side
        stones.clear()
    elif command == "play" and arguments[1] == "swap":
        stones.update((vertex, "black") for vertex in stones)
    elif command == "play":
        stones[arguments[1]] = arguments[0]
    elif command == "genmove":
        stones[move := choose(arguments[0])] = arguments[0]
        return move
    elif command not in ("name", "quit"):
        raise ValueError("unknown command")
    return "Random" if command == "name" else ""


for line in sys.stdin:
    words = line.split()
    number = words.pop(0) if words and words[0].isdigit() else ""
    try:
        print(f"={number} {answer(*words)}\n", flush=True)
    except (IndexError, TypeError, ValueError) as error:
        print(f"?{number} {error}\n", flush=True)
    if words == ["quit"]:
        break
