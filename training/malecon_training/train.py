"""Training by gradient descent."""

from __future__ import annotations

import copy
import io
import math
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from . import files, modelfile
from .model import Network, Watch
from .samples import SYMMETRIES, Batch, Samples
from .shape import Shape


# About this many samples are tested while training goes on; all of them at the end.
SOME_TESTS = 2_000
# Groups of positions of like chances.
GROUPS = 10


@dataclass(frozen=True)
class Settings:
    """How a network is trained."""

    steps: int = 10_000
    # Stop after this many seconds; the learning rate then decays by time instead of by steps.
    seconds: float | None = None
    batch: int = 128
    rate: float = 2e-3
    # The share of the weights that a step takes away, as a multiple of the learning rate.
    decay: float = 0.05
    # Steps in which the learning rate rises.
    warm_up: int = 200
    # The weight of the search's value in the value to learn; the result of the game has the rest.
    searched_value: float = 0.3
    value_weight: float = 1.0
    # The weight of all auxiliary targets together.
    auxiliary: float = 0.3
    # The weight of the teacher's outputs, if there is a teacher; the targets of the games have the rest.
    distillation: float = 0.7
    # The averaged weights keep this part of themselves in a step.
    average: float = 0.999
    seed: int = 1
    tests: int = 5
    mixed: bool = False
    # Compute in 16-bit floating point (bfloat16) where it is safe.
    half: bool = False


@dataclass
class Losses:
    """How well a network predicts games: means, in nats or as shares."""

    policy: float
    first_choice: float
    value: float
    winner: float
    # By how much the chance that it gives is off on average, over ten groups of positions of like chances.
    calibration: float

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "losses unknown (no positions are held out)"
        policy = f"policy {self.policy:.4f}, first choice {100 * self.first_choice:.1f} %"
        if math.isnan(self.policy):
            policy = "policy unknown (no position that is held out has visits)"
        return f"{policy}, value {self.value:.4f}, winner {100 * self.winner:.1f} %"

    @staticmethod
    def of(sums: Tensor) -> Losses:
        """The means of what `sums` counted."""
        policy, first, policies, value, right, values = sums[:6].tolist()
        given, got = sums[6:].view(2, GROUPS)
        # Few games may have no samples that are held out. Nothing is known of these.
        policies, values = policies or math.nan, values or math.nan
        calibration = (given - got).abs().sum().item() / values
        return Losses(policy / policies, first / policies, value / values, right / values, calibration)


@dataclass
class Progress:
    """How far a training has come."""

    step: int
    # The mean loss on training samples since the last time, and the learning rate.
    loss: float
    rate: float
    # The averaged network, and its losses by side length on samples held out.
    network: Network
    losses: dict[int, Losses]


def log_policy(logits: Tensor, batch: Batch) -> Tensor:
    """The logarithms of the probabilities of the legal moves."""
    return F.log_softmax(logits.flatten(1).masked_fill(~batch.legal, -1e9), 1)


def losses(outputs, batch: Batch, settings: Settings, taught=None) -> Tensor:
    """The loss of each sample: cross entropies of policy and value, and of the auxiliary outputs. `taught` are the
    outputs of a teacher."""
    logits, value, vertices, kinds = outputs
    logs = log_policy(logits, batch)
    policy = -(batch.policy * logs).sum(1)
    target = (1.0 - settings.searched_value) * batch.result + settings.searched_value * batch.value
    result = F.binary_cross_entropy_with_logits(value, target, reduction="none")
    if taught is not None:
        share = settings.distillation
        taught_logs = log_policy(taught[0], batch)
        from_teacher = -(taught_logs.exp() * logs).sum(1)
        has_policy = batch.policy.sum(1) > 0
        policy = torch.where(has_policy, (1.0 - share) * policy + share * from_teacher, from_teacher)
        value_from_teacher = F.binary_cross_entropy_with_logits(value, taught[1].sigmoid(), reduction="none")
        result = (1.0 - share) * result + share * value_from_teacher
    return (
        policy + settings.value_weight * result + settings.auxiliary * auxiliary(vertices.flatten(1, 2), kinds, batch)
    )


def auxiliary(vertices: Tensor, kinds: Tensor, batch: Batch) -> Tensor:
    """The loss of the auxiliary outputs of each sample: the reply, the end of the game at each vertex, structures."""
    on_board = batch.mask.flatten(1)
    count = on_board.sum(1)
    reply_logs = F.log_softmax(vertices[:, :, 0].masked_fill(~batch.legal, -1e9), 1)
    has_reply = batch.reply >= 0
    reply = -reply_logs.gather(1, batch.reply.clamp(min=0)[:, None])[:, 0].clamp(min=-50.0)
    stone = F.cross_entropy(vertices[:, :, 1:4].transpose(1, 2), (batch.ending & 3).long(), reduction="none")
    is_known = (batch.structures > 0).float()
    wins = F.binary_cross_entropy_with_logits(vertices[:, :, 4], (batch.ending >> 2).float(), reduction="none")
    bits = (batch.structures[:, None] >> torch.arange(3, device=kinds.device) & 1).float()
    kind = F.binary_cross_entropy_with_logits(kinds, bits, reduction="none").mean(1)
    at_vertices = ((stone + is_known[:, None] * wins) * on_board).sum(1) / count
    return 0.25 * has_reply * reply + at_vertices + is_known * kind


def test(network: Network, samples: Samples, pairs: Tensor) -> Losses:
    """How well a network predicts these samples."""
    return Losses.of(total(test_sums(network, samples, pairs)))


def total(sums: dict[int, Tensor]) -> Tensor:
    """The sums of all side lengths together."""
    return sum(sums.values(), torch.zeros(6 + 2 * GROUPS, dtype=torch.float64))


@torch.no_grad()
def test_sums(network: Network, samples: Samples, pairs: Tensor, size: int = 256) -> dict[int, Tensor]:
    """For each side length, the sums over these samples that `Losses.of` needs."""
    network.eval()
    sums: dict[int, Tensor] = {}
    # An empty tensor is split into one part, too.
    for chunk in pairs.split(size) if len(pairs) else ():
        for batch in samples.batches(chunk, torch.zeros(len(chunk), dtype=torch.long), is_mixed=False):
            logits, value, *_ = network(batch.features, batch.mask, batch.size)
            logs = log_policy(logits, batch)
            known = batch.policy.sum(1) > 0
            right = ((value > 0) == (batch.result > 0.5)).double()
            cross = F.binary_cross_entropy_with_logits(value, batch.result, reduction="none")
            chance = value.sigmoid().double().cpu()
            group = (GROUPS * chance).long().clamp(max=GROUPS - 1)
            counts = torch.tensor(
                [
                    -(batch.policy * logs).sum(1)[known].sum(),
                    (logs.argmax(1) == batch.policy.argmax(1))[known].sum(),
                    known.sum(),
                    cross.sum(),
                    right.sum(),
                    len(value),
                ],
                dtype=torch.float64,
            )
            given, got = (
                torch.zeros(GROUPS, dtype=torch.float64).index_add_(0, group, numbers)
                for numbers in (chance, batch.result.double().cpu())
            )
            side = int(batch.size[0])
            sums[side] = sums.get(side, 0.0) + torch.cat([counts, given, got])
    return sums


def train(
    network: Network,
    samples: Samples,
    settings: Settings,
    device: torch.device,
    teacher: Network | None = None,
    checkpoint: Path | None = None,
    observe: Callable[[Progress], None] | None = None,
) -> Network:
    """Trains a network. Returns the average of its weights over the last steps, which is saved at each test as well.
    `observe` is called at each test."""
    generator = torch.Generator().manual_seed(settings.seed)
    network, average = network.to(device), copy.deepcopy(network).to(device)
    is_bias = lambda name: name.endswith("bias")  # noqa: E731
    plain = [p for name, p in network.named_parameters() if is_bias(name)]
    decayed = [p for name, p in network.named_parameters() if not is_bias(name)]
    groups = [
        {"params": decayed, "weight_decay": settings.decay},
        {"params": plain, "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=settings.rate)
    some_tests = samples.tests[:: max(1, len(samples.tests) // SOME_TESTS)]
    batches = samples.forever(settings.batch, generator, settings.mixed)
    started = time.monotonic()
    tested, step, part = 0, 0, 0.0
    loss, steps = torch.zeros((), device=device), 0
    while part < 1.0:
        for group in optimizer.param_groups:
            group["lr"] = (
                settings.rate
                * min(1.0, (step + 1) / settings.warm_up)
                * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * part)))
            )
        loss += learn(network, optimizer, next(batches), settings, teacher)
        step, steps = step + 1, steps + 1
        keep = min(settings.average, (1 + step) / (10 + step))
        with torch.no_grad():
            for mean, now in zip(average.parameters(), network.parameters(), strict=True):
                mean.lerp_(now, 1.0 - keep)
        part = step / settings.steps
        if settings.seconds is not None:
            part = max(part, (time.monotonic() - started) / settings.seconds)
        if part * settings.tests >= tested + 1:
            tested = int(part * settings.tests)
            if checkpoint is not None:
                # The training is worth more: it goes on, and may find room at its end.
                try:
                    save_checkpoint(checkpoint, average)
                except OSError as error:
                    print(f"warning: {checkpoint} was not written: {error.strerror}", file=sys.stderr, flush=True)
            sums = test_sums(average, samples, some_tests)
            print(f"{step:6} steps, {time.monotonic() - started:5.0f} s: {Losses.of(total(sums))}", flush=True)
            if observe is not None:
                by_side = {side: Losses.of(sums[side]) for side in sorted(sums)}
                rate = optimizer.param_groups[0]["lr"]
                observe(Progress(step, loss.item() / steps, rate, average, by_side))
            loss, steps = torch.zeros_like(loss), 0
    return average


def choose_threads(network: Network, samples: Samples, settings: Settings, most: int) -> list[tuple[int, float]]:
    """Lets PyTorch compute with as many threads as are fastest, `most` at most. Returns the numbers of threads that were
    tried, each with the seconds of a step, the fastest first.

    Threads only wait for each other if a network is small, and much longer if other programs use the processor.
    """
    counts = [count for count in (1 << i for i in range(16)) if count < most] + [most]
    if most == 1:
        torch.set_num_threads(1)
        return [(1, 0.0)]
    trial = copy.deepcopy(network)
    optimizer = torch.optim.SGD(trial.parameters(), lr=0.0)
    batches = next(samples.forever(settings.batch, torch.Generator().manual_seed(settings.seed), settings.mixed))
    tried = []
    for count in counts:
        torch.set_num_threads(count)
        times: list[float] = []
        # The first step starts the threads. A few are enough where they take long.
        while len(times) < 2 or (len(times) < 6 and sum(times) < 1.0):
            started = time.monotonic()
            learn(trial, optimizer, batches, settings, None)
            times.append(time.monotonic() - started)
        tried.append((count, statistics.median(times[1:])))
    tried.sort(key=lambda trial: trial[1])
    torch.set_num_threads(tried[0][0])
    return tried


@torch.no_grad()
def between(start: Network, trained: Network, part: float) -> Network:
    """The network that is this part of the way from the weights of `start` to those that were trained from them."""
    mean = copy.deepcopy(trained)
    for weights, before in zip(mean.parameters(), start.parameters(), strict=True):
        weights.lerp_(before.to(weights.device), 1.0 - part)
    return mean


def learn(network: Network, optimizer, batches: list[Batch], settings: Settings, teacher) -> Tensor:
    """One step of gradient descent on these samples. Returns the loss before it."""
    network.train()
    count = sum(len(batch.value) for batch in batches)
    total = torch.zeros((), device=batches[0].features.device)
    optimizer.zero_grad(set_to_none=True)
    device = batches[0].features.device.type
    for batch in batches:
        taught = None
        if teacher is not None:
            with (
                torch.no_grad(),
                torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda" or settings.half),
            ):
                taught = [output.float() for output in teacher(batch.features, batch.mask, batch.size)]
        with torch.autocast(device, dtype=torch.bfloat16, enabled=settings.half):
            outputs = [output.float() for output in network(batch.features, batch.mask, batch.size)]
        loss = (batch.weight * losses(outputs, batch, settings, taught)).sum() / count
        loss.backward()
        total += loss.detach()
    norm = torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
    if not torch.isfinite(norm):
        sys.exit("error: training diverged (try a lower rate)")
    optimizer.step()
    return total


@torch.no_grad()
def show(network: Network, samples: Samples, watch: Watch, most: int = 6_000) -> None:
    """Shows the layers of a network on `most` training samples or up to twice as many, spread over all of them, under
    all symmetries in turn."""
    network.eval()
    spread = samples.training[:: max(1, len(samples.training) // most)]
    for chunk in spread.split(256):
        symmetry = torch.arange(len(chunk)) % SYMMETRIES
        for batch in samples.batches(chunk, symmetry, is_mixed=False):
            network(batch.features, batch.mask, batch.size, watch)


def measure(network: Network, samples: Samples) -> dict[str, Tensor]:
    """The largest activation of each channel of each layer on the samples that `show` takes; as "first", the largest
    magnitude of "stream0" before negative numbers are set to 0."""
    largest: dict[str, Tensor] = {}

    def add(name: str, layer: Tensor) -> None:
        most = layer.amax(0)
        largest[name] = torch.maximum(largest[name], most) if name in largest else most

    def watch(name: str, layer: Tensor) -> None:
        add(name, layer.relu())
        if name == "stream0":
            add("first", layer.abs())

    show(network, samples, watch)
    return largest


def scaled(network: Network, largest: dict[str, Tensor]) -> modelfile.Weights:
    """The weights of a network, scaled so that the activations that `measure` found fit the engine's arithmetic, and
    the ranges of its blocks."""
    row = {name: most.cpu().numpy().astype("f8") for name, most in largest.items()}
    blocks = network.shape.blocks
    streams, inner = [row[f"stream{b}"] for b in range(blocks + 1)], [row[f"inner{b}"] for b in range(blocks)]
    return modelfile.scale(network.shape, network.numbers(), row["first"], streams, inner)


def save_checkpoint(path: Path, network: Network) -> None:
    """Saves a network of any width with its auxiliary heads, as a teacher."""
    content = io.BytesIO()
    torch.save({"shape": vars(network.shape), "state": network.state_dict()}, content)
    files.replace(path, content.getvalue())


def load(path: Path) -> Network:
    """The network of a network file or of a checkpoint. Raises ValueError, which names the file, if it is neither."""
    content = path.read_bytes()
    try:
        if content.startswith(modelfile.MAGIC):
            return Network.of(*modelfile.load(path))
        return from_checkpoint(content)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def from_checkpoint(content: bytes) -> Network:
    """The network of a checkpoint with this content. Raises ValueError if it is something else."""
    try:
        saved = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
        network = Network(Shape(*(saved["shape"][name] for name in ("blocks", "channels", "hidden"))))
        network.load_state_dict(saved["state"])
    except Exception as error:  # noqa: BLE001 (any kind, which depends on the content)
        raise ValueError("neither a network file nor a checkpoint of the trainer") from error
    return network
