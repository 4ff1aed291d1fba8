"""Network files: docs/model-format.md."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from .shape import BIAS_LIMIT, CHANNELS, FEATURE_COUNTS, FEATURE_VERSION, FEATURES, INPUT_BITS, TARGET, WEIGHT_LIMIT, Shape

MAGIC = b"\x89MLC\r\n\x1a\n"
HEADER = struct.Struct("<8s8I2HIQQ")
FORMAT_VERSION = 2
# The codes of the only kind of pooling and of arithmetic.
POOLING = 2
ARITHMETIC = 2

Weights = dict[str, np.ndarray]


def fnv1a(data: bytes) -> int:
    """The 64-bit FNV-1a hash."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def encode(shape: Shape, weights: Weights, description: str) -> bytes:
    """The bytes of a network file. Raises ValueError if the engine would refuse it."""
    if shape.channels not in CHANNELS:
        raise ValueError(f"no kernel for {shape.channels} channels (expected one of {CHANNELS})")
    payload = b""
    for name, size, limit in shape.parts():
        part = weights[name].astype("<f4")
        if part.shape != size:
            raise ValueError(f"{name} has the shape {part.shape} (expected {size})")
        if not np.isfinite(part).all() or np.abs(part).max() > limit:
            raise ValueError(f"a weight of {name} is out of range (expected -{limit} to {limit})")
        payload += part.tobytes()
    text = description.encode()
    versions, sizes = (FORMAT_VERSION, FEATURE_VERSION, FEATURES), (shape.blocks, shape.channels, shape.hidden)
    fields = (*versions, *sizes, POOLING, ARITHMETIC, INPUT_BITS, 0)
    header = HEADER.pack(MAGIC, *fields, len(text), len(payload), 0)[:-8]
    return header + struct.pack("<Q", fnv1a(header + text + payload)) + text + payload


def save(path: Path, shape: Shape, weights: Weights, description: str) -> None:
    path.write_bytes(encode(shape, weights, description))


def load(path: Path) -> tuple[Shape, Weights]:
    """The shape and the weights of a network file. Raises ValueError if it is not one; the message does not name it."""
    data = path.read_bytes()
    if len(data) < HEADER.size or not data.startswith(MAGIC):
        raise ValueError("not a Malecon network")
    _, version, feature_version, features, blocks, channels, hidden, pooling, arithmetic, *_, length, _, _ = HEADER.unpack_from(data)
    found, expected = (version, pooling, arithmetic), (FORMAT_VERSION, POOLING, ARITHMETIC)
    if found != expected:
        raise ValueError(f"version of the format, kinds of pooling and arithmetic {found} (expected {expected})")
    if FEATURE_COUNTS.get(feature_version) != features:
        raise ValueError(f"{features} features of version {feature_version} (expected one of {FEATURE_COUNTS})")
    shape = Shape(blocks, channels, hidden)
    numbers = np.frombuffer(data, "<f4", offset=HEADER.size + length)
    weights, start = {}, 0
    for name, size, _ in shape.parts(features):
        count = int(np.prod(size))
        weights[name] = numbers[start : start + count].reshape(size).copy()
        start += count
    if start != len(numbers):
        raise ValueError(f"{len(numbers)} weights (expected {start})")
    # Features that the network does not know have no weight.
    weights["first"] = np.pad(weights["first"], ((0, 0), (0, FEATURES - features), (0, 0)))
    return shape, weights


def scale(shape: Shape, weights: Weights, stream: np.ndarray, inner: list[np.ndarray]) -> Weights:
    """Weights of the same function whose activations fit the engine's arithmetic.

    `stream` and `inner` are the largest activations of each channel: of the residual stream, and of the inner layer of
    each block. Each channel is brought to TARGET, but made larger no more than 16 times. What reads a channel that is
    scaled makes up for it.
    """

    def factor(most: np.ndarray) -> np.ndarray:
        return TARGET / np.maximum(most, TARGET / 16)

    def within(limit: float, magnitude: np.ndarray) -> np.ndarray:
        return 0.999 * limit / np.maximum(magnitude, 1e-12)

    s = factor(stream)
    scaled = {name: part.astype(np.float64) for name, part in weights.items()}
    for name in ("first", "first_bias", "size"):
        scaled[name] *= s
    for b in range(shape.blocks):
        first, second = f"conv{2 * b}", f"conv{2 * b + 1}"
        # A weight that reads the smaller stream becomes larger. Where it would become too large, the channel that it
        # leads to becomes smaller too. The same holds for a bias, which is far below 0 where a channel rarely fires.
        largest = (np.abs(scaled[first]) / s[None, :, None]).max(axis=(0, 1))
        bias = np.abs(scaled[first + "_bias"])
        i = np.minimum.reduce([factor(inner[b]), within(WEIGHT_LIMIT, largest), within(BIAS_LIMIT, bias)])
        scaled[first] *= i / s[:, None]
        scaled[first + "_bias"] *= i
        scaled[f"pool{b}"] *= i / np.concatenate([s, s])[:, None]
        scaled[second] *= s / i[:, None]
        scaled[second + "_bias"] *= s
    scaled["policy"] /= s
    scaled["hidden"] /= np.concatenate([s, s, [1.0]])[:, None]
    return {name: part.astype(np.float32) for name, part in scaled.items()}
