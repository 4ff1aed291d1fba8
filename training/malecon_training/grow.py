"""Turns a trained network into a deeper one that computes the same, to train on from there."""

from __future__ import annotations

import re
from dataclasses import replace

import torch

from .model import Network


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
