"""The gate: a match that decides whether a new network is better than the best one."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from .. import files
from . import strength
from .folder import Settings


def engines(malecon: str, settings: Settings, generation: int, networks: dict[str, Path]) -> dict[str, str]:
    """The commands of the engines of these names."""
    seed = settings.seed + generation
    # The solution of side 4 would hide what the network knows.
    words = [malecon, "gtp", "--set", "solved_positions=false", "--seed", str(seed), "--network"]
    return {name: shlex.join([*words, str(network)]) for name, network in networks.items()}


def relocate(out: Path, commands: dict[str, str]) -> None:
    """Gives the engines of a match that was interrupted these commands. The program and the folder may have been moved
    since, and a match goes on only with the same commands."""
    saved = out / "match.json"
    if not saved.exists():
        return
    try:
        match = json.loads(saved.read_text())
        for engine in match["engines"]:
            engine["command"] = commands[engine["name"]]
    except (ValueError, KeyError, TypeError):
        # The match says what is wrong.
        return
    files.replace(saved, json.dumps(match, indent=2).encode())


def command(
    malecon: str, settings: Settings, generation: int, networks: dict[str, Path], games: int, threads: int, out: Path
) -> list[object]:
    """The match of the networks with these names. Each gate has a seed, and so openings of its own."""
    seed = settings.seed + generation
    chosen: list[object] = [malecon, "match", "--side", settings.side_of_gate]
    chosen += ["--games", games, "--sprt", settings.sprt]
    for name, engine in engines(malecon, settings, generation, networks).items():
        chosen += ["--engine", f"{name}={engine}"]
    if settings.gate_simulations is None:
        # Whatever else a machine does, no move of a gate is to be late.
        chosen += ["--time", settings.gate_time, "--margin", 2]
    else:
        chosen += ["--simulations", settings.gate_simulations]
    more = shlex.split(settings.gate)
    given = {word.partition("=")[0] for word in more}
    if "--openings" not in given and 4 <= settings.side_of_gate <= 10:
        chosen += ["--openings", "balanced"]
    if "--seed" not in given:
        chosen += ["--seed", seed]
    return [*chosen, *more, "--concurrency", threads, "--out", out, "--resume", "--json", "--quiet"]


def verdict(report: dict, candidate: str, best: str) -> dict:
    """Whether the candidate is promoted, and why, from the report of its match."""
    (pairing,), test = report["pairings"], report["sprt"]
    estimate, results = pairing["estimate"], pairing["results"]
    ends = (estimate[name] for name in ("elo_low", "elo", "elo_high"))
    low, elo, high = (None if end is None else round(end, 1) for end in ends)
    measured = f"{strength.interval(elo, low, high)} Elo in {report['games']} games against {best}"
    gain = f"a gain of {test['elo1']:g} Elo rather than {test['elo0']:g}"
    decision, ratio = test["decision"], test["llr"]
    if decision == "undecided":
        # The likelier of the two hypotheses.
        promoted = ratio > 0.0
        reason = f"the games ran out; {gain} is {'more' if promoted else 'less'} likely (LLR {ratio:+.2f})"
    else:
        promoted = decision == "h1"
        reason = f"the test {'accepts' if promoted else 'refuses'} {gain}"
    faults = {engine["name"]: sum(engine["faults"].values()) for engine in report["engines"]}
    if any(faults.values()):
        reason += "; faults: " + ", ".join(f"{name} {count}" for name, count in faults.items() if count)
    outcome = f"{candidate} promoted" if promoted else f"{candidate} not promoted, {best} plays on"
    return {
        "network": candidate,
        "against": best,
        "promoted": promoted,
        "why": f"{outcome}: {measured}; {reason}",
        "gate_games": report["games"],
        "won": results["wins"],
        "drawn": results["draws"],
        "lost": results["losses"],
        "elo": elo,
        "low": low,
        "high": high,
    }
