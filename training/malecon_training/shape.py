"""The shape of a network and the order of its weights, as docs/model-format.md describes them."""

from __future__ import annotations

from dataclasses import dataclass

TAPS = 7
# The number of features of a vertex, by version.
FEATURES = {1: 24, 2: 95}
CHANNELS = (16, 32, 48, 64)
# Activations end at 128 in 16-bit fixed point; those measured are scaled to at most this.
TARGET = 112.0
# In 8-bit arithmetic, convolutions read activations of 7 bits, 3 of them fraction bits: the largest measured of each
# channel is scaled to the largest of these.
INPUT_BITS = 3
INPUT_TARGET = 127 / 2**INPUT_BITS
ACTIVATION_LIMIT = 32767 / 256
WEIGHT_LIMIT = 32767 / 1024
BIAS_LIMIT = 8191.0
FLOAT_LIMIT = 32768.0


@dataclass(frozen=True)
class Shape:
    """The shape of a network. Widths beyond CHANNELS can be trained, as teachers, but have no kernels in the engine."""

    features: int = 2
    blocks: int = 3
    channels: int = 32
    hidden: int = 32
    # 1: the value head reads means. 2: blocks and value head read means and maxima, and the size of the board.
    pooling: int = 2
    # The integers that the engine computes with: 8 or 16 bits.
    bits: int = 8

    @property
    def is_global(self) -> bool:
        return self.pooling == 2

    @property
    def inputs(self) -> int:
        """Features of a vertex."""
        return FEATURES[self.features]

    @property
    def pooled(self) -> int:
        """Inputs of the value head."""
        return 2 * self.channels + 1 if self.is_global else self.channels

    @property
    def format_version(self) -> int:
        return 1 if (self.features, self.pooling, self.bits) == (1, 1, 16) else 2

    def parts(self) -> list[tuple[str, tuple[int, ...], float]]:
        """Name, shape and largest magnitude of each part, in the order of the file. Outputs vary fastest."""
        c, h = self.channels, self.hidden
        parts = [("first", (TAPS, self.inputs, c), ACTIVATION_LIMIT), ("first_bias", (c,), ACTIVATION_LIMIT)]
        if self.is_global:
            parts.append(("size", (c,), ACTIVATION_LIMIT))
        for b in range(self.blocks):
            if self.is_global:
                parts.append((f"pool{b}", (2 * c, c), FLOAT_LIMIT))
            for k in (2 * b, 2 * b + 1):
                parts.append((f"conv{k}", (TAPS, c, c), WEIGHT_LIMIT))
                parts.append((f"conv{k}_bias", (c,), BIAS_LIMIT))
        parts.append(("policy", (c,), WEIGHT_LIMIT))
        parts.append(("hidden", (self.pooled, h), FLOAT_LIMIT))
        parts.append(("hidden_bias", (h,), FLOAT_LIMIT))
        parts.append(("value", (h,), FLOAT_LIMIT))
        parts.append(("value_bias", (1,), FLOAT_LIMIT))
        return parts
