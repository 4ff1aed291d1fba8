"""Turns a trained network into one that computes the same and can learn more."""

from __future__ import annotations

import copy
import re
from dataclasses import replace

import torch
from torch import Tensor

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
    network = copy.deepcopy(network)
    weights = network.weights

    def factors(reads: Tensor, leads: Tensor) -> Tensor:
        """Makes mean squares equal, if what leads to a channel is multiplied and what reads it is divided. A channel
        without weights on one side keeps its scale."""
        is_used = (reads > 0.0) & (leads > 0.0)
        return torch.where(is_used, (reads / leads.clamp(min=1e-30)) ** 0.25, torch.ones_like(reads))

    pooled = 2 * network.shape.channels
    stream = factors(weights["policy"].square().mean(), weights["first"].square().mean())
    leading, reading = ["first", "first_bias", "size"], ["policy"]
    for b in range(network.shape.blocks):
        leading += [f"conv{2 * b + 1}", f"conv{2 * b + 1}_bias"]
        reading += [f"conv{2 * b}", f"pool{b}"]
    for name in leading:
        weights[name].mul_(stream)
    for part in [*(weights[name] for name in reading), network.vertex_heads.weight]:
        part.div_(stream)
    weights["hidden"][:pooled].div_(stream)
    network.kinds.weight[:, :pooled].div_(stream)
    for b in range(network.shape.blocks):
        first, second = weights[f"conv{2 * b}"], weights[f"conv{2 * b + 1}"]
        inner = factors(second.square().mean((0, 2)), first.square().mean((0, 1)))
        for part in (first, weights[f"conv{2 * b}_bias"], weights[f"pool{b}"]):
            part.mul_(inner)
        second.div_(inner[:, None])
    return network


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
