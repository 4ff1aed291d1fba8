"""Network files: docs/model-format.md."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from . import files
from .shape import (
    BIAS_LIMIT,
    FEATURE_COUNTS,
    FEATURE_VERSION,
    FEATURES,
    RANGE_LIMITS,
    TARGET,
    WEIGHT_LIMIT,
    Shape,
)

MAGIC = b"\x89MLC\r\n\x1a\n"
HEADER = struct.Struct("<8s8I2HIQQ")
FORMAT_VERSION = 3
# The version before, without ranges.
WITHOUT_RANGES = 2
# The codes of the only kind of pooling and of arithmetic.
POOLING = 2
ARITHMETIC = 2
# By how much ranges exceed the largest activations that were measured.
HEADROOM = 1.05

Weights = dict[str, np.ndarray]


def fnv1a(data: bytes) -> int:
    """The 64-bit FNV-1a hash."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def layout(
    shape: Shape, features: int = FEATURES, version: int = FORMAT_VERSION
) -> Iterator[tuple[str, tuple[int, ...], tuple[float, float]]]:
    """Name, shape, and the least and the most of each part of a file, in its order: those of `Shape.parts`, and the
    ranges of the blocks, "range0", "range1" and so on."""
    for name, size, limit in shape.parts(features):
        if name.startswith("pool") and version != WITHOUT_RANGES:
            yield name.replace("pool", "range"), (shape.channels,), RANGE_LIMITS
        yield name, size, (-limit, limit)


def encode(shape: Shape, weights: Weights, description: str) -> bytes:
    """The bytes of a network file. Ranges that are missing are TARGET. Raises ValueError if the engine would refuse the
    file."""
    shape.check()
    payload = b""
    for name, size, (least, most) in layout(shape):
        numbers = weights[name] if name in weights or not name.startswith("range") else np.full(size, TARGET)
        part = numbers.astype("<f4")
        if part.shape != size:
            raise ValueError(f"{name} has the shape {part.shape} (expected {size})")
        if not ((least <= part) & (part <= most)).all():
            raise ValueError(f"a weight of {name} is out of range (expected {least} to {most})")
        payload += part.tobytes()
    text = description.encode()
    versions, sizes = (FORMAT_VERSION, FEATURE_VERSION, FEATURES), (shape.blocks, shape.channels, shape.hidden)
    fields = (*versions, *sizes, POOLING, ARITHMETIC, 0, 0)
    header = HEADER.pack(MAGIC, *fields, len(text), len(payload), 0)[:-8]
    return header + struct.pack("<Q", fnv1a(header + text + payload)) + text + payload


def save(path: Path, shape: Shape, weights: Weights, description: str) -> None:
    files.replace(path, encode(shape, weights, description))


def load(path: Path) -> tuple[Shape, Weights]:
    """The shape and the weights of a network file, with its ranges if it has any. Raises ValueError if it is not one;
    the message does not name it."""
    data = path.read_bytes()
    if len(data) < HEADER.size or not data.startswith(MAGIC):
        raise ValueError("not a Malecon network")
    _, version, feature_version, features, blocks, channels, hidden, pooling, arithmetic, *_, length, _, checksum = (
        HEADER.unpack_from(data)
    )
    found, kinds = (version, pooling, arithmetic), (POOLING, ARITHMETIC)
    expected = [(known, *kinds) for known in (WITHOUT_RANGES, FORMAT_VERSION)]
    if found not in expected:
        raise ValueError(f"version of the format, kinds of pooling and arithmetic {found} (expected one of {expected})")
    if FEATURE_COUNTS.get(feature_version) != features:
        raise ValueError(f"{features} features of version {feature_version} (expected one of {FEATURE_COUNTS})")
    shape = Shape(blocks, channels, hidden)
    # Before anything is made of this size: the file may be damaged.
    shape.check()
    if len(data) < HEADER.size + length or (len(data) - HEADER.size - length) % 4:
        raise ValueError("the file is truncated or damaged")
    numbers = np.frombuffer(data, "<f4", offset=HEADER.size + length)
    weights, start = {}, 0
    for name, size, _ in layout(shape, features, version):
        count = int(np.prod(size))
        start += count
        if start > len(numbers):
            raise ValueError(f"{len(numbers)} weights, which is too few for {shape}")
        weights[name] = numbers[start - count : start].reshape(size).copy()
    if start != len(numbers):
        raise ValueError(f"{len(numbers)} weights (expected {start})")
    if checksum != fnv1a(data[: HEADER.size - 8] + data[HEADER.size :]):
        raise ValueError("the file is damaged: its checksum is wrong")
    # Features that the network does not know have no weight.
    weights["first"] = np.pad(weights["first"], ((0, 0), (0, FEATURES - features), (0, 0)))
    return shape, weights


def scale(
    shape: Shape, weights: Weights, first: np.ndarray, streams: list[np.ndarray], inner: list[np.ndarray]
) -> Weights:
    """Weights of the same function whose activations fit the engine's arithmetic, and the ranges of its blocks.

    These are the largest magnitudes that the first convolution gives each channel, and the largest activations: of what
    each block reads of the residual stream, with what the heads read as the last, and of the inner layer of each block.
    Each channel is brought to TARGET over the whole stream, but made larger no more than 16 times. What reads a channel
    that is scaled makes up for it. The range of a channel is a little more than the largest activation that the block
    reads there.
    """

    def factor(most: np.ndarray) -> np.ndarray:
        return TARGET / np.maximum(most, TARGET / 16)

    def within(limit: float, magnitude: np.ndarray) -> np.ndarray:
        return 0.999 * limit / np.maximum(magnitude, 1e-12)

    def within_limits(b: int) -> np.ndarray:
        # A weight that reads the smaller stream becomes larger. Where it would become too large, the channel that it
        # leads to becomes smaller too. The same holds for a bias, which is far below 0 where a channel rarely fires.
        largest = (np.abs(weights[f"conv{2 * b}"].astype("f8")) / s[None, :, None]).max(axis=(0, 1))
        bias = np.abs(weights[f"conv{2 * b}_bias"].astype("f8"))
        return np.minimum.reduce([factor(inner[b]), within(WEIGHT_LIMIT, largest), within(BIAS_LIMIT, bias)])

    s = factor(np.maximum.reduce([first, *streams]))
    scaled = multiplied(shape, weights, s, [within_limits(b) for b in range(shape.blocks)])
    for b in range(shape.blocks):
        # A channel that was 0 in all samples may not be 0 in others.
        scaled[f"range{b}"] = np.clip(HEADROOM * s * streams[b], TARGET / 16, RANGE_LIMITS[1]).astype("f4")
    return scaled


def multiplied(shape: Shape, weights: Weights, stream: np.ndarray, inner: list[np.ndarray]) -> Weights:
    """Weights of the same function whose channels are larger by these factors: those of the residual stream, and of the
    inner layer of each block. What reads a channel makes up for it."""
    twice = np.concatenate([stream, stream])
    new = {name: part.astype(np.float64) for name, part in weights.items()}
    for name in ("first", "first_bias", "size"):
        new[name] *= stream
    for b in range(shape.blocks):
        first, second = f"conv{2 * b}", f"conv{2 * b + 1}"
        new[first] *= inner[b] / stream[:, None]
        new[first + "_bias"] *= inner[b]
        new[f"pool{b}"] *= inner[b] / twice[:, None]
        new[second] *= stream / inner[b][:, None]
        new[second + "_bias"] *= stream
    new["policy"] /= stream
    new["hidden"] /= np.append(twice, 1.0)[:, None]
    return {name: part.astype(np.float32) for name, part in new.items()}
