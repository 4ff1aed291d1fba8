"""Turns a trained network into one that computes the same and can learn more."""

from __future__ import annotations

import copy
import re
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from . import modelfile
from .model import Network
from .samples import Samples
from .train import measure, show


def deepened(network: Network, blocks: int, generator: torch.Generator) -> Network:
    """The network with new blocks spread among its own until there are `blocks`. It computes the same: the second convolution
    of a new block has no weights yet."""
    old = network.shape
    if blocks < old.blocks:
        raise ValueError(f"the network has {old.blocks} blocks already")
    deeper = Network(replace(old, blocks=blocks), generator)
    # The place of each block of the old network. The first stays first.
    places = [b * blocks // old.blocks for b in range(old.blocks)]
    state = deeper.state_dict()
    for name, part in network.state_dict().items():
        state[renamed(name, places)].copy_(part)
    for b in set(range(blocks)) - set(places):
        state[f"weights.conv{2 * b + 1}"].zero_()
    return deeper


@torch.no_grad()
def balanced(network: Network) -> Network:
    """The network with other scales of its channels. It computes the same, and learns evenly.

    In a network file, the scales suit the engine's arithmetic: weights that lead to an inner channel are up to a hundred
    times as large as those that read it. A step of Adam is as long for all weights, so it would hardly change the former
    and disturb the latter. Here both have the same mean square. So have the weights of the first layer and those of the
    policy.
    """
    weights = {name: part.astype("f8") for name, part in network.numbers().items()}

    def factors(reads: np.ndarray, leads: np.ndarray) -> np.ndarray:
        """Makes mean squares equal, if what leads to a channel is multiplied and what reads it is divided. A channel
        without weights on one side keeps its scale."""
        is_used = (reads > 0.0) & (leads > 0.0)
        return np.where(is_used, (reads / np.where(is_used, leads, 1.0)) ** 0.25, 1.0)

    def square(name: str, axis: tuple[int, ...] | None = None) -> np.ndarray:
        return np.square(weights[name]).mean(axis)

    blocks, channels = range(network.shape.blocks), network.shape.channels
    stream = np.full(channels, factors(square("policy"), square("first")))
    inner = [stream * factors(square(f"conv{2 * b + 1}", (0, 2)), square(f"conv{2 * b}", (0, 1))) for b in blocks]
    new = Network.of(network.shape, modelfile.multiplied(network.shape, weights, stream, inner))
    # The auxiliary heads, which a network file does not have.
    new.vertex_heads.load_state_dict(network.vertex_heads.state_dict())
    new.kinds.load_state_dict(network.kinds.state_dict())
    new.vertex_heads.weight /= stream[0]
    new.kinds.weight[:, : 2 * channels] /= stream[0]
    return new


def renamed(name: str, places: list[int]) -> str:
    """The name of a parameter once its block has moved to its place."""
    found = re.fullmatch(r"weights\.(conv|pool)(\d+)(_bias)?", name)
    if found is None:
        return name
    kind, number, bias = found[1], int(found[2]), found[3] or ""
    per_block = 2 if kind == "conv" else 1
    block, which = divmod(number, per_block)
    return f"weights.{kind}{places[block] * per_block + which}{bias}"


def dead(largest: dict[str, Tensor]) -> dict[str, Tensor]:
    """Which channels of each inner layer, and of the hidden layer of the value, were 0 in all samples that `measure`
    took. They have no gradients there, so they would hardly ever learn again."""
    return {name: most <= 0.0 for name, most in largest.items() if name.startswith("inner") or name == "hidden"}


@torch.no_grad()
def revived(network: Network, samples: Samples, generator: torch.Generator) -> Network:
    """The network with new weights for its dead channels. What reads them has no weights yet, so that the network
    computes the same.

    What feeds them is random, without the pooled part, and such that their sums have the mean 0 and the deviation 1 on
    training samples.
    """
    network = copy.deepcopy(network)
    weights, new = network.weights, dead(measure(network, samples))
    feeds = {name: "hidden" if name == "hidden" else f"conv{2 * int(name[5:])}" for name in new}
    for name, channels in new.items():
        part = weights[feeds[name]]
        part[..., channels] = torch.randn(part[..., channels].shape, generator=generator).to(part.device)
        weights[feeds[name] + "_bias"][channels] = 0.0
        if name == "hidden":
            weights["value"][channels] = 0.0
        else:
            block = int(name[5:])
            weights[f"pool{block}"][:, channels] = 0.0
            weights[f"conv{2 * block + 1}"][:, channels] = 0.0
    count: dict[str, int] = {}
    sums: dict[str, Tensor] = {}

    def watch(name: str, layer: Tensor) -> None:
        count[name] = count.get(name, 0) + len(layer)
        sums[name] = sums.get(name, 0.0) + torch.stack([layer, layer**2]).sum(1, dtype=torch.float64)

    show(network, samples, watch)
    for name, channels in new.items():
        mean, square = sums[name] / count[name]
        deviation = (square - mean**2).clamp(min=1e-12).sqrt()
        weights[feeds[name]][..., channels] /= deviation[channels].float()
        weights[feeds[name] + "_bias"][channels] = -(mean / deviation)[channels].float()
    return network
