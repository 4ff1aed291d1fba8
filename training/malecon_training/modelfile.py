"""Network files: docs/model-format.md."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from .shape import CHANNELS, FEATURES, INPUT_BITS, INPUT_TARGET, TARGET, WEIGHT_LIMIT, Shape

MAGIC = b"\x89MLC\r\n\x1a\n"
HEADER = struct.Struct("<8s8I2HIQQ")

# By the bits of the arithmetic: its code, the fraction bits of activations, and those of weights.
ARITHMETIC = {16: (1, 8, 10), 8: (2, INPUT_BITS, 0)}

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
    arithmetic, activation_bits, weight_bits = ARITHMETIC[shape.bits]
    fields = (
        shape.format_version,
        shape.features,
        shape.inputs,
        shape.blocks,
        shape.channels,
        shape.hidden,
        shape.pooling,
        arithmetic,
    )
    header = HEADER.pack(MAGIC, *fields, activation_bits, weight_bits, len(text), len(payload), 0)[:-8]
    return header + struct.pack("<Q", fnv1a(header + text + payload)) + text + payload


def save(path: Path, shape: Shape, weights: Weights, description: str) -> None:
    path.write_bytes(encode(shape, weights, description))


def load(path: Path) -> tuple[Shape, Weights]:
    """The shape and the weights of a network file. Raises ValueError if it is not one."""
    data = path.read_bytes()
    if len(data) < HEADER.size or not data.startswith(MAGIC):
        raise ValueError(f"{path} is not a Malecon network")
    _, _, features, _, blocks, channels, hidden, pooling, arithmetic, _, _, length, _, _ = HEADER.unpack_from(data)
    bits = next((bits for bits, (code, _, _) in ARITHMETIC.items() if code == arithmetic), None)
    if features not in FEATURES or pooling not in (1, 2) or bits is None:
        raise ValueError(f"{path} is of a newer version")
    shape = Shape(features, blocks, channels, hidden, pooling, bits)
    numbers = np.frombuffer(data, "<f4", offset=HEADER.size + length)
    weights, start = {}, 0
    for name, size, _ in shape.parts():
        count = int(np.prod(size))
        weights[name] = numbers[start : start + count].reshape(size).copy()
        start += count
    if start != len(numbers):
        raise ValueError(f"{path} has {len(numbers)} weights (expected {start})")
    return shape, weights


def scale(shape: Shape, weights: Weights, stream: np.ndarray, inner: list[np.ndarray]) -> Weights:
    """Weights of the same function whose activations fit the arithmetic of the shape.

    `stream` and `inner` are the largest activations of each channel: of the residual stream, and of the inner layer of
    each block. What reads a channel that is scaled makes up for it. In 16-bit arithmetic, channels above TARGET are made
    smaller, as `malecon learn fit` does. In 8-bit arithmetic, each channel is brought to INPUT_TARGET, but made larger
    no more than 16 times.
    """

    def factor(most: np.ndarray) -> np.ndarray:
        if shape.bits == 16:
            return np.where(most > TARGET, TARGET / np.maximum(most, TARGET), 1.0)
        return INPUT_TARGET / np.maximum(most, INPUT_TARGET / 16)

    s = factor(stream)
    scaled = {name: part.astype(np.float64) for name, part in weights.items()}
    for name in ("first", "first_bias", "size"):
        if name in scaled:
            scaled[name] *= s
    for b in range(shape.blocks):
        first, second = f"conv{2 * b}", f"conv{2 * b + 1}"
        # A weight that reads the smaller stream becomes larger. Where it would become too large, the channel that it
        # leads to becomes smaller too.
        largest = (np.abs(scaled[first]) / s[None, :, None]).max(axis=(0, 1))
        i = np.minimum(factor(inner[b]), 0.999 * WEIGHT_LIMIT / np.maximum(largest, 1e-12))
        scaled[first] *= i / s[:, None]
        scaled[first + "_bias"] *= i
        if shape.is_global:
            scaled[f"pool{b}"] *= i / np.concatenate([s, s])[:, None]
        scaled[second] *= s / i[:, None]
        scaled[second + "_bias"] *= s
    scaled["policy"] /= s
    inputs = np.concatenate([s, s, [1.0]]) if shape.is_global else s
    scaled["hidden"] /= inputs[:, None]
    return {name: part.astype(np.float32) for name, part in scaled.items()}
