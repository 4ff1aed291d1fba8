"""Turns a network that reads features of version 1 into one of features of version 2 with global pooling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

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
