"""`python -m malecon_training`: trains a network and writes the file that the engine reads."""

from __future__ import annotations

import argparse
import copy
import re
from dataclasses import fields
from pathlib import Path

import torch

from . import modelfile
from .events import Events
from .grow import balanced, dead, deepened, revived
from .model import Network
from .samples import Samples
from .shape import CHANNELS, Shape
from .train import (
    Settings,
    between,
    choose_threads,
    load_checkpoint,
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


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="malecon_training", description=__doc__)
    add = parser.add_argument
    add(
        "--samples",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="what 'malecon learn export' wrote, the oldest games first",
    )
    add("--out", type=Path, metavar="FILE", help="the network file")
    add("--checkpoint", type=Path, metavar="FILE", help="the weights for --teacher or --start")
    add("--config", type=config, default="3x32", metavar="BxC", help="blocks and channels [%(default)s]")
    add("--start", type=Path, metavar="FILE", help="a network file or checkpoint to continue from, whose shape is kept")
    add("--blocks", type=int, metavar="N", help="with --start: add blocks that change nothing yet until there are N")
    add(
        "--part",
        type=float,
        default=1.0,
        metavar="X",
        help="with --start: go this part of the way from its weights to the trained ones, to keep more of what it knew "
        "[%(default)s]",
    )
    add("--teacher", type=Path, metavar="FILE", help="the checkpoint of a network to learn from")
    add("--window", type=int, metavar="N", help="train on the newest N games only")
    add(
        "--surprise", type=float, default=0.5, metavar="X", help="how far surprise weighs samples, 0 to 1 [%(default)s]"
    )
    add("--sparse", action="store_true", help="leave out positions of short searches of self-play, which have no visits")
    add(
        "--steps",
        type=int,
        default=Settings.steps,
        metavar="N",
        help="steps at most; 0 needs no samples, and writes a new network with random weights, or that of --start "
        "[%(default)s]",
    )
    add("--seconds", type=float, metavar="S", help="time at most")
    add("--batch", type=int, default=Settings.batch, metavar="N", help="samples of a step [%(default)s]")
    add("--rate", type=float, default=Settings.rate, metavar="X", help="learning rate [%(default)s]")
    add(
        "--auxiliary",
        type=float,
        default=Settings.auxiliary,
        metavar="X",
        help="weight of auxiliary targets [%(default)s]",
    )
    add(
        "--distillation",
        type=float,
        default=Settings.distillation,
        metavar="X",
        help="weight of the teacher [%(default)s]",
    )
    add("--average", type=float, default=Settings.average, metavar="X", help="memory of averaged weights [%(default)s]")
    add("--seed", type=int, default=Settings.seed, metavar="N", help="[%(default)s]")
    add("--tests", type=int, default=Settings.tests, metavar="N", help="how often losses are printed [%(default)s]")
    add("--events", type=Path, metavar="DIR", help="write what TensorBoard shows: losses, calibration, policies")
    add("--mixed", action="store_true", help="all boards of a batch on one grid; the default on a graphics card")
    add("--half", action="store_true", help="compute in bfloat16, for processors that have it")
    add("--device", default="cuda" if torch.cuda.is_available() else "cpu", help="[%(default)s]")
    add("--threads", type=int, metavar="N", help="threads on a processor, at most; as many as are fastest [all]")
    chosen = parser.parse_args()
    if not chosen.out and not chosen.checkpoint:
        parser.error("give --out, --checkpoint or both")
    if chosen.steps != 0 and not chosen.samples:
        parser.error("give --samples, what 'malecon learn export' wrote")
    if chosen.blocks is not None and not chosen.start:
        parser.error("--blocks adds blocks to the network of --start; --config says how many a new network has")
    if chosen.part != 1.0 and not chosen.start:
        parser.error("--part is a part of the way from the network of --start")
    if chosen.out and not chosen.start and chosen.config.channels not in CHANNELS:
        channels = chosen.config.channels
        parser.error(f"the engine has no kernel for {channels} channels; leave --out away and use --checkpoint")
    return chosen


def first_network(chosen: argparse.Namespace, device: torch.device) -> Network:
    if chosen.start is None:
        return Network(chosen.config, torch.Generator().manual_seed(chosen.seed))
    try:
        if chosen.start.read_bytes()[:8] == modelfile.MAGIC:
            network = Network.of(*modelfile.load(chosen.start))
        else:
            network = load_checkpoint(chosen.start, device)
        if chosen.blocks is not None:
            network = deepened(network, chosen.blocks, torch.Generator().manual_seed(chosen.seed))
    except ValueError as error:
        raise SystemExit(f"error: {chosen.start}: {error}") from error
    return network


def write_untrained(chosen: argparse.Namespace) -> None:
    """Writes the network with which a training would begin."""
    network = first_network(chosen, torch.device("cpu"))
    if chosen.checkpoint:
        save_checkpoint(chosen.checkpoint, network)
    if chosen.out:
        source = f"Network {chosen.start.name}" if chosen.start else f"Random weights with seed {chosen.seed}"
        modelfile.save(chosen.out, network.shape, network.numbers(), f"{source}, not trained.")


def main() -> None:
    chosen = arguments()
    torch.manual_seed(chosen.seed)
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    if chosen.steps == 0:
        write_untrained(chosen)
        return
    device = torch.device(chosen.device)
    try:
        samples = Samples(chosen.samples, device, chosen.window, chosen.surprise, chosen.sparse)
    except (OSError, ValueError) as error:
        raise SystemExit(f"error: --samples: {error}") from error
    network = first_network(chosen, device)
    if chosen.start:
        network = revived(balanced(network).to(device), samples, torch.Generator().manual_seed(chosen.seed))
    teacher = load_checkpoint(chosen.teacher, device) if chosen.teacher else None
    given = {field.name: getattr(chosen, field.name) for field in fields(Settings) if hasattr(chosen, field.name)}
    is_gpu = device.type == "cuda"
    settings = Settings(
        **{
            **given,
            "mixed": chosen.mixed or is_gpu,
            "half": chosen.half or (is_gpu and network.shape.channels not in CHANNELS),
        }
    )
    shape = network.shape
    print(
        f"{len(samples.training)} samples to train on, {len(samples.tests)} held out; {shape}; on {device}", flush=True
    )
    if not is_gpu:
        tried = choose_threads(network, samples, settings, chosen.threads or torch.get_num_threads())
        if len(tried) > 1:
            times = ", ".join(f"{1000 * seconds:.0f} ms with {count}" for count, seconds in tried)
            print(f"threads: {tried[0][0]}; a step takes {times}", flush=True)
    events = Events(chosen.events, samples) if chosen.events else None
    start = copy.deepcopy(network)
    trained = train(network, samples, settings, device, teacher, chosen.checkpoint, events)
    average = between(start, trained, chosen.part)
    if chosen.checkpoint:
        save_checkpoint(chosen.checkpoint, average)
    largest = measure(average, samples)
    if chosen.out:
        games = samples.games if chosen.window is None else min(chosen.window, samples.games)
        source = f"network {chosen.start.name}" if chosen.start else "random weights"
        taught = f", taught by {teacher.shape.blocks}x{teacher.shape.channels}" if teacher else ""
        text = (
            f"Trained in PyTorch on {games} self-play games, {len(samples.training)} positions; batches of "
            f"{settings.batch} at rate {settings.rate} with seed {settings.seed}, from {source}{taught}."
        )
        modelfile.save(chosen.out, shape, scaled(average, largest), text)
    count = sum(int(channels.sum()) for channels in dead(largest).values())
    print(f"final: {test(average, samples, samples.tests)}; {count} dead channels", flush=True)


main()
