"""`python -m malecon_training`: trains a network and writes the file that the engine reads."""

from __future__ import annotations

import argparse
import contextlib
import copy
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path

import torch

from . import files, modelfile
from .events import Events
from .grow import balanced, dead, deepened, revived
from .model import Network
from .options import Parser, number, positive, whole
from .samples import Samples
from .shape import CHANNELS, Shape
from .train import (
    Settings,
    between,
    choose_threads,
    load,
    measure,
    save_checkpoint,
    scaled,
    test,
    train,
)


def config(text: str) -> Shape:
    """The shape of a new network with as many hidden units as channels."""
    found = re.fullmatch(r"([1-9]\d?)x([1-9]\d{0,2})", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not blocks and channels (expected 6x32, say)")
    blocks, channels = int(found[1]), int(found[2])
    return Shape(blocks, channels, channels)


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser(prog="malecon_training", description=__doc__)
    add = parser.add_argument
    add(
        "--samples",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="what 'malecon learn export' wrote, the oldest games first",
    )
    add("--out", type=Path, metavar="FILE", help="the network file")
    add("--checkpoint", type=Path, metavar="FILE", help="the weights for --teacher or --start, of any shape")
    add("--config", type=config, default="3x32", metavar="BxC", help="blocks and channels [%(default)s]")
    add("--start", type=Path, metavar="FILE", help="a network file or checkpoint to continue from, whose shape is kept")
    add(
        "--blocks",
        type=whole(1),
        metavar="N",
        help="with --start: add blocks that change nothing yet until there are N",
    )
    add(
        "--part",
        type=number(0, 1),
        default=1.0,
        metavar="X",
        help="with --start: go this part of the way from its weights to the trained ones, 0 to 1, to keep more of "
        "what it knew [%(default)s]",
    )
    add("--teacher", type=Path, metavar="FILE", help="a network file or checkpoint to learn from")
    add("--window", type=whole(1), metavar="N", help="train on the newest N games only")
    add(
        "--surprise",
        type=number(0, 1),
        default=0.5,
        metavar="X",
        help="how far surprise weighs samples, 0 to 1 [%(default)s]",
    )
    add(
        "--sparse", action="store_true", help="leave out positions of short searches of self-play, which have no visits"
    )
    add(
        "--steps",
        type=whole(0),
        default=Settings.steps,
        metavar="N",
        help="steps at most; 0 needs no samples, and writes a new network with random weights, or that of --start "
        "[%(default)s]",
    )
    add("--seconds", type=positive(), metavar="S", help="time at most")
    add("--batch", type=whole(1), default=Settings.batch, metavar="N", help="samples of a step [%(default)s]")
    add("--rate", type=positive(), default=Settings.rate, metavar="X", help="learning rate [%(default)s]")
    add(
        "--auxiliary",
        type=number(0),
        default=Settings.auxiliary,
        metavar="X",
        help="weight of auxiliary targets [%(default)s]",
    )
    add(
        "--distillation",
        type=number(0, 1),
        default=Settings.distillation,
        metavar="X",
        help="weight of the teacher, 0 to 1 [%(default)s]",
    )
    add(
        "--average",
        type=number(0, 1),
        default=Settings.average,
        metavar="X",
        help="memory of averaged weights, 0 to 1 [%(default)s]",
    )
    add("--seed", type=whole(0, 2**64 - 1), default=Settings.seed, metavar="N", help="[%(default)s]")
    add(
        "--tests", type=whole(0), default=Settings.tests, metavar="N", help="how often losses are printed [%(default)s]"
    )
    add("--events", type=Path, metavar="DIR", help="write what TensorBoard shows: losses, calibration, policies")
    add("--mixed", action="store_true", help="all boards of a batch on one grid; the default on a graphics card")
    add("--half", action="store_true", help="compute in bfloat16, for processors that have it")
    add("--device", default="cuda" if torch.cuda.is_available() else "cpu", help="[%(default)s]")
    add("--threads", type=whole(1), metavar="N", help="threads on a processor, at most; as many as are fastest [all]")
    chosen = parser.parse_args(words)
    if not chosen.out and not chosen.checkpoint:
        parser.error("give --out, --checkpoint or both")
    if chosen.steps != 0 and not chosen.samples:
        parser.error("give --samples, what 'malecon learn export' wrote")
    if chosen.blocks is not None and not chosen.start:
        parser.error("--blocks adds blocks to the network of --start; --config says how many a new network has")
    if chosen.part != 1.0 and not chosen.start:
        parser.error("--part is a part of the way from the network of --start")
    if chosen.out and chosen.checkpoint and chosen.out.resolve() == chosen.checkpoint.resolve():
        parser.error("--out and --checkpoint are the same file")
    return chosen


@contextlib.contextmanager
def using(option: str) -> Iterator[None]:
    """Ends the program with one line if what the option names cannot be used."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise SystemExit(f"error: {option}: {reason(error)}") from error


def reason(error: Exception) -> str:
    """What went wrong, in one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def usable(name: str) -> torch.device:
    """The device of this name. Raises ValueError if PyTorch cannot compute on it."""
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ValueError(f"PyTorch cannot compute on {name!r} here (expected cpu or cuda, say)") from error
    return device


def try_outputs(chosen: argparse.Namespace) -> None:
    """Ends the program if what is trained could not be written."""
    for option, path, check in (
        ("--out", chosen.out, files.check),
        ("--checkpoint", chosen.checkpoint, files.check),
        ("--events", chosen.events, files.check_directory),
    ):
        if path is not None:
            with using(option):
                check(path)


def first_network(chosen: argparse.Namespace) -> Network:
    """The network with which a training begins."""
    generator = torch.Generator().manual_seed(chosen.seed)
    start = None
    if chosen.start is not None:
        with using("--start"):
            start = load(chosen.start)
    shape = chosen.config if start is None else start.shape
    if chosen.blocks is not None:
        shape = replace(shape, blocks=chosen.blocks)
    if chosen.out:
        with using("--out"):
            shape.check()
    if start is None:
        return Network(shape, generator)
    if chosen.blocks is None:
        return start
    with using("--blocks"):
        return deepened(start, chosen.blocks, generator)


def write(chosen: argparse.Namespace, network: Network, numbers: modelfile.Weights, description: str) -> None:
    """Writes the checkpoint, and the network file with these weights. If one of them fails, the other is written."""
    failures = []
    for option, path, save in (
        ("--checkpoint", chosen.checkpoint, lambda path: save_checkpoint(path, network)),
        ("--out", chosen.out, lambda path: modelfile.save(path, network.shape, numbers, description)),
    ):
        try:
            if path is not None:
                save(path)
        except (OSError, ValueError) as error:
            failures.append(f"error: {option}: {reason(error)}")
    if failures:
        raise SystemExit("\n".join(failures))


def write_untrained(chosen: argparse.Namespace, network: Network) -> None:
    """Writes the network with which a training would begin."""
    source = f"Network {chosen.start.name}" if chosen.start else f"Random weights with seed {chosen.seed}"
    write(chosen, network, network.numbers(), f"{source}, not trained.")


def main(words: Sequence[str] | None = None) -> None:
    chosen = arguments(words)
    try_outputs(chosen)
    torch.manual_seed(chosen.seed)
    with using("--device"):
        device = usable(chosen.device)
    network = first_network(chosen)
    teacher = None
    if chosen.teacher is not None:
        with using("--teacher"):
            teacher = load(chosen.teacher).to(device).eval()
    if chosen.steps == 0:
        write_untrained(chosen, network)
        return
    with using("--samples"):
        samples = Samples(chosen.samples, device, chosen.window, chosen.surprise, chosen.sparse)
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    if chosen.start:
        network = revived(balanced(network).to(device), samples, torch.Generator().manual_seed(chosen.seed))
    given = {field.name: getattr(chosen, field.name) for field in fields(Settings) if hasattr(chosen, field.name)}
    is_gpu = device.type == "cuda"
    settings = Settings(
        **{
            **given,
            "mixed": chosen.mixed or is_gpu,
            "half": chosen.half or (is_gpu and network.shape.channels not in CHANNELS),
        }
    )
    counts = f"{len(samples.training)} samples to train on, {len(samples.tests)} held out"
    print(f"{counts}; {network.shape}; on {device}", flush=True)
    if not is_gpu:
        tried = choose_threads(network, samples, settings, chosen.threads or torch.get_num_threads())
        if len(tried) > 1:
            times = ", ".join(f"{1000 * seconds:.0f} ms with {count}" for count, seconds in tried)
            print(f"threads: {tried[0][0]}; a step takes {times}", flush=True)
    events = Events(chosen.events, samples) if chosen.events else None
    start = copy.deepcopy(network)
    trained = train(network, samples, settings, device, teacher, chosen.checkpoint, events)
    average = between(start, trained, chosen.part)
    largest = measure(average, samples)
    games = samples.games if chosen.window is None else min(chosen.window, samples.games)
    source = f"network {chosen.start.name}" if chosen.start else "random weights"
    taught = f", taught by {teacher.shape.blocks}x{teacher.shape.channels}" if teacher else ""
    description = (
        f"Trained in PyTorch on {games} self-play games, {len(samples.training)} positions; batches of "
        f"{settings.batch} at rate {settings.rate} with seed {settings.seed}, from {source}{taught}."
    )
    write(chosen, average, scaled(average, largest), description)
    count = sum(int(channels.sum()) for channels in dead(largest).values())
    print(f"final: {test(average, samples, samples.tests)}; {count} dead channels", flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        # As a shell reports a program that Ctrl-C has ended.
        sys.exit(130)
