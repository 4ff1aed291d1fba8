"""Turns a trained network into a larger one that computes the same, or nearly so, to train on from there."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

import torch

from .model import Network
from .modelfile import Weights
from .shape import TAPS, Shape

# For each feature of version 1 but LARGE, the features of version 2 that take over its weights. Version 2 counts what a group
# holds where version 1 counts what a chain holds.
HEIRS = {
    0: [0],
    1: [15],
    2: [16],
    **{3 + i: [43 + i] for i in range(3)},
    **{6 + i: [47 + i] for i in range(3)},
    9: [17],
    10: [18],
    11: list(range(1, 7)),
    12: list(range(7, 13)),
    13: [13],
    14: [14],
    **{16 + i: [75 + i + i // 3] for i in range(4)},
    **{20 + i: [80 + i + i // 3] for i in range(4)},
}
# The feature of version 1 for boards of side length 7 or more. In version 2 the side length is a number.
LARGE = 15
SIDES = np.array([4, 5, 6, 7, 8, 10])


def grown(shape: Shape, weights: Weights) -> tuple[Shape, Weights]:
    """The network with the features and the pooling of version 2. It computes nearly the same: what version 2 adds has no
    weight yet."""
    if (shape.features, shape.pooling) != (1, 1):
        raise ValueError(f"only networks of version 1 with mean pooling can be grown, not {shape}")
    larger = replace(shape, features=2, pooling=2)
    new = {name: np.zeros(size, np.float32) for name, size, _ in larger.parts()}
    for name, part in weights.items():
        if name == "hidden":
            new[name][: shape.channels] = part
        elif name != "first":
            new[name][...] = part
    for old, heirs in HEIRS.items():
        new["first"][:, heirs] = weights["first"][:, [old]]
    # The straight line through the values of the feature on the boards that are played most.
    slope, start = np.polyfit((SIDES - 6) / 4, SIDES >= 7, 1)
    new["first"][:, 0] += start * weights["first"][:, LARGE]
    new["size"] += slope * weights["first"][:, LARGE].sum(0)
    assert weights["first"].shape[0] == TAPS
    return larger, new


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


def renamed(name: str, places: list[int]) -> str:
    """The name of a parameter once its block has moved to its place."""
    found = re.fullmatch(r"weights\.(conv|pool)(\d+)(_bias)?", name)
    if found is None:
        return name
    kind, number, bias = found[1], int(found[2]), found[3] or ""
    per_block = 2 if kind == "conv" else 1
    block, which = divmod(number, per_block)
    return f"weights.{kind}{places[block] * per_block + which}{bias}"
