"""The folder of a loop. What lies in it is the whole state of the loop: each file appears complete, in one step."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from ..files import replace
from ..options import positive, whole
from .programs import Failed


def _option(default: Any, metavar: str, text: str, kind: Callable[[str], Any] | None = None) -> Any:
    return field(default=default, metadata={"metavar": metavar, "help": text, "type": kind or type(default)})


@dataclass(frozen=True)
class Settings:
    """What the games and networks of a loop depend on. Each field is an option of the command line."""

    sides: str = _option("5", "SIDES", "side lengths of self-play, with weights as in 4:1,6:2")
    games: int = _option(2000, "N", "games of a generation", whole(1))
    chunk: int = _option(50, "N", "games that a worker takes at a time", whole(1))
    simulations: int = _option(200, "N", "simulations of the full searches of self-play")
    short: int = _option(40, "N", "simulations of its other searches")
    config: str = _option("3x32", "BxC", "blocks and channels of the first network, which has random weights")
    window: int = _option(10_000, "N", "train on the newest N games", whole(1))
    steps: int = _option(4000, "N", "steps of a training", whole(1))
    seconds: float | None = _option(None, "S", "seconds of a training at most", positive())
    gate_side: int | None = _option(None, "N", "side length of the gate [the largest of --sides]", int)
    gate_games: int = _option(400, "N", "games of the gate at most", whole(2))
    gate_time: float = _option(0.1, "S", "seconds a move in the gate")
    gate_simulations: int | None = _option(None, "N", "simulations a move in the gate, in place of time", int)
    sprt: str = _option("0,30", "ELO0,ELO1", "the sequential test of the gate")
    seed: int = _option(1, "N", "seed of all random numbers")
    play: str = _option("", "OPTIONS", "more options of 'malecon learn play'")
    train: str = _option("", "OPTIONS", "more options of the trainer")
    gate: str = _option("", "OPTIONS", "more options of 'malecon match'")
    # The hash of the network of --start, and the program: its version and signature.
    start: str | None = None
    program: str = ""

    @property
    def chunks(self) -> int:
        """The chunks of a generation."""
        return -(-self.games // self.chunk)

    def games_of_chunk(self, chunk: int) -> int:
        """The games of a chunk, whose number counts from 1."""
        return len(range(chunk - 1, self.games, self.chunks))

    @property
    def side_of_gate(self) -> int:
        """The side length of the gate."""
        return self.gate_side or max(int(side) for side in re.findall(r"(?:^|,)(\d+)", self.sides))

    @property
    def limit_of_gate(self) -> str:
        """How the gate is played."""
        simulations, side = self.gate_simulations, f"Side {self.side_of_gate}"
        return (
            f"{side}, {self.gate_time:g} s a move"
            if simulations is None
            else f"{side}, {simulations} simulations a move"
        )


def _write(path: Path, content: dict) -> None:
    """Writes an object as JSON. Only the process that leads the loop may do so."""
    replace(path, f"{json.dumps(content, indent=2)}\n".encode())


def _read(path: Path) -> dict | None:
    """The object in a file; None if there is no file."""
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise Failed(f"{path} is not JSON: {error}") from error


class Folder:
    """The folder of a loop."""

    def __init__(self, path: Path):
        self.path = path.resolve()
        self.settings_file = self.path / "loop.json"
        self.log = self.path / "log.txt"

    def settings(self) -> Settings | None:
        """The settings of the loop; None if it has not begun."""
        found = _read(self.settings_file)
        if found is None:
            return None
        try:
            return Settings(**found)
        except TypeError as error:
            raise Failed(f"{self.settings_file} is of another version of the loop: {error}") from error

    def begin(self, settings: Settings) -> None:
        """Fixes the settings."""
        _write(self.settings_file, asdict(settings))

    def generation(self, number: int) -> Path:
        """The folder of a generation, from 1."""
        return self.path / f"generation-{number:03}"

    def games(self, number: int, chunk: int) -> Path:
        """The file of a chunk of games, when it is complete."""
        return self.generation(number) / "games" / f"chunk-{chunk:05}.jsonl"

    def samples(self, number: int) -> Path:
        """The samples of a generation."""
        return self.generation(number) / "samples"

    def network(self, name: str, ending: str = "bin") -> Path:
        """The file of a network, or of its checkpoint."""
        return self.path / "networks" / f"{name}.{ending}"

    def plan(self, number: int) -> dict | None:
        """What a generation plays with: `network`, the name of the best network before it. None before it begins."""
        return _read(self.generation(number) / "plan.json")

    def result(self, number: int) -> dict | None:
        """The outcome of a generation; None before its end."""
        return _read(self.generation(number) / "result.json")

    def write(self, number: int, name: str, content: dict) -> None:
        """Writes the plan or the result of a generation."""
        self.generation(number).mkdir(parents=True, exist_ok=True)
        _write(self.generation(number) / f"{name}.json", content)

    def aim(self, generations: int) -> None:
        """Tells the workers how many generations there are to be."""
        _write(self.path / "aim.json", {"generations": generations})

    def aimed(self) -> int | None:
        """How many generations there are to be, if that is known."""
        aim = _read(self.path / "aim.json")
        return None if aim is None else aim["generations"]

    def is_done(self) -> bool:
        """Whether there are as many generations as there are to be."""
        aim = self.aimed()
        return aim is not None and self.finished() >= aim

    def finished(self) -> int:
        """How many generations have ended."""
        number = 0
        while (self.generation(number + 1) / "result.json").exists():
            number += 1
        return number

    def best(self) -> str:
        """The name of the best network: the last one that was promoted."""
        for number in range(self.finished(), 0, -1):
            result = self.result(number)
            if result is not None and result["promoted"]:
                return result["network"]
        return "network-0"


def agree(folder: Folder, known: Settings, given: dict[str, Any]) -> None:
    """Refuses a setting that is not that of the folder. Settings that are not given agree."""
    for setting in fields(Settings):
        now, before = given.get(setting.name), getattr(known, setting.name)
        if now is None or now == before:
            continue
        where = f"the loop of {folder.path}"
        if setting.name == "start":
            raise Failed(f"{where} began with another network than that of --start (take another folder)")
        if setting.name == "program":
            raise Failed(f"{where} was played by {before} and --malecon is {now} (take another folder)")
        option = "--" + setting.name.replace("_", "-")
        was = "not given" if before is None else f"{before!r}"
        raise Failed(f"{where} cannot go on: {option} was {was} and is now {now!r} (take another folder)")
