"""The shape of a network and the order of its weights, as docs/model-format.md describes them."""

from __future__ import annotations

from dataclasses import dataclass

TAPS = 7
# The version of the features, and the number of features of a vertex.
FEATURE_VERSION = 3
FEATURES = 127
# The number of features of each version. Those of an older version are the first ones of a newer.
FEATURE_COUNTS = {2: 95, 3: FEATURES}
CHANNELS = (16, 32, 48, 64)
# The most blocks and hidden units that the engine takes.
MOST_BLOCKS = 64
MOST_HIDDEN = 256
# The largest measured activation of each channel is scaled to this. Networks without ranges read no larger one.
TARGET = 127 / 8
# The range of a channel: the activation that a block reads as the largest number of 7 bits.
RANGE_LIMITS = (0.5, 128.0)
ACTIVATION_LIMIT = 32767 / 256
WEIGHT_LIMIT = 32767 / 1024
BIAS_LIMIT = 8191.0
FLOAT_LIMIT = 32768.0


@dataclass(frozen=True)
class Shape:
    """The shape of a network. Shapes that `check` refuses can be trained, as teachers."""

    blocks: int = 3
    channels: int = 32
    hidden: int = 32

    @property
    def pooled(self) -> int:
        """Inputs of the value head: means and maxima of the channels, and the size of the board."""
        return 2 * self.channels + 1

    def check(self) -> None:
        """Raises ValueError if the engine cannot use a network of this shape."""
        if self.channels not in CHANNELS:
            expected = ", ".join(map(str, CHANNELS))
            raise ValueError(f"the engine has no kernel for {self.channels} channels (expected one of {expected})")
        for name, count, most in (("blocks", self.blocks, MOST_BLOCKS), ("hidden units", self.hidden, MOST_HIDDEN)):
            if not 1 <= count <= most:
                raise ValueError(f"the engine takes no network of {count} {name} (expected 1 to {most})")

    def parts(self, features: int = FEATURES) -> list[tuple[str, tuple[int, ...], float]]:
        """Name, shape and largest magnitude of each part, in the order of the file. Outputs vary fastest."""
        c, h = self.channels, self.hidden
        parts = [("first", (TAPS, features, c), ACTIVATION_LIMIT), ("first_bias", (c,), ACTIVATION_LIMIT)]
        parts.append(("size", (c,), ACTIVATION_LIMIT))
        for b in range(self.blocks):
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
