"""The network in PyTorch: what the engine computes in fixed point, and heads that only help to train it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .modelfile import Weights
from .shape import TAPS, Shape

# Where the taps stand in a kernel of 3 x 3, whose rows are letters and whose columns are numbers.
OFFSETS = ((0, 0), (1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))
# Auxiliary outputs of each vertex: the reply; empty, own or opposing at the end; part of the winning structure.
VERTEX_HEADS = 5
# Auxiliary outputs of a position: bridge, fork, ring.
KINDS = 3
# Is shown a layer of a network: its name, and its numbers (vertices or positions, channels).
Watch = Callable[[str, Tensor], None]


class Rectified(torch.autograd.Function):
    """The sum of a layer and of what is added to it, set to 0 where it is negative or off the mask, in the type of the
    sum. One step back instead of three: going through memory is what takes the time."""

    @staticmethod
    def forward(ctx, layer: Tensor, more: Tensor, mask: Tensor) -> Tensor:
        out = (layer + more).relu_()
        out.mul_(mask)
        ctx.save_for_backward(out)
        ctx.types, ctx.is_layer = (layer.dtype, more.dtype), more.shape == layer.shape
        return out

    @staticmethod
    def backward(ctx, gradient: Tensor):
        (out,) = ctx.saved_tensors
        passed = torch.ops.aten.threshold_backward(gradient, out, 0)
        more = passed if ctx.is_layer else passed.sum((2, 3), keepdim=True, dtype=torch.float32)
        return passed.to(ctx.types[0]), more.to(ctx.types[1]), None


class Network(nn.Module):
    """A network. Its parameters have the names and shapes of `Shape.parts`."""

    def __init__(self, shape: Shape, generator: torch.Generator | None = None):
        super().__init__()
        self.shape = shape
        he = (2.0 / (TAPS * shape.channels)) ** 0.5
        # Blocks begin close to the identity; what pools begins without effect.
        depth = min(1.0, (3.0 / shape.blocks) ** 0.5)
        sizes = {"first": 0.2, "policy": 0.1, "hidden": 0.25, "value": 0.2}
        self.weights = nn.ParameterDict()
        for name, size, _ in shape.parts():
            width = sizes.get(name, 0.0)
            if name.startswith("conv") and not name.endswith("bias"):
                width = he * (0.3 * depth if int(name[4:]) % 2 else 1.0)
            part = torch.randn(size, generator=generator) * width
            if name == "hidden":
                # Maxima are large and change abruptly: with random weights they would disturb the first steps.
                part[shape.channels :] = 0.0
            self.weights[name] = nn.Parameter(part)
        self.vertex_heads = nn.Linear(shape.channels, VERTEX_HEADS)
        self.kinds = nn.Linear(shape.pooled, KINDS)
        # A network file has no such heads. Random ones would at first undo what the blocks have learned.
        for head in (self.vertex_heads, self.kinds):
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)
        taps = torch.zeros(TAPS, 9)
        for tap, (letter, number) in enumerate(OFFSETS):
            taps[tap, 3 * (1 + letter) + 1 + number] = 1.0
        self.register_buffer("taps", taps, persistent=False)

    def convolve(self, name: str, x: Tensor) -> Tensor:
        weights = self.weights[name]
        kernel = torch.einsum("tio,tk->oik", weights, self.taps).reshape(weights.shape[2], weights.shape[1], 3, 3)
        return F.conv2d(x, kernel, self.weights[name + "_bias"], padding=1)

    def forward(self, x: Tensor, mask: Tensor, size: Tensor, watch: Watch | None = None):
        """Outputs for features `x` (positions, features, rows, columns) on the vertices of `mask` (positions, 1, rows,
        columns), on boards of the side lengths `size`: the logits of the moves (positions, rows, columns), the logit of
        winning, the auxiliary outputs of vertices (positions, rows, columns, 5) and of positions. `watch` is shown the
        layers before negative numbers are set to 0: "stream0", "stream1" and so on, which the blocks read, and the
        heads the last; "inner0", "inner1" and so on; and "hidden"."""
        w = self.weights
        vertices = mask.sum((2, 3))
        scaled = ((size - 6.0) / 4.0)[:, None]

        def show(name: str, layer: Tensor, more: Tensor) -> None:
            if watch is not None:
                watch(name, (layer + more).float().permute(0, 2, 3, 1)[mask[:, 0].bool()])

        def pooled(layer: Tensor) -> Tensor:
            cells = layer.permute(0, 2, 3, 1).flatten(1, 2)
            return torch.cat([cells.sum(1) / vertices, cells.max(1).values], 1)

        x = self.convolve("first", x.contiguous(memory_format=torch.channels_last)).float()
        more = (scaled * w["size"])[:, :, None, None]
        show("stream0", x, more)
        x = Rectified.apply(x, more, mask)
        for b in range(self.shape.blocks):
            y = self.convolve(f"conv{2 * b}", x)
            more = (pooled(x) @ w[f"pool{b}"])[:, :, None, None]
            show(f"inner{b}", y, more)
            # In half precision the layer between the convolutions is halved, too, but not the stream.
            y = Rectified.apply(y, more.to(y.dtype), mask.to(y.dtype))
            y = self.convolve(f"conv{2 * b + 1}", y)
            show(f"stream{b + 1}", y, x)
            x = Rectified.apply(y, x, mask)
        policy = torch.einsum("bcij,c->bij", x, w["policy"])
        summary = torch.cat([pooled(x), scaled], 1)
        hidden = summary @ w["hidden"] + w["hidden_bias"]
        if watch is not None:
            watch("hidden", hidden)
        value = F.relu(hidden) @ w["value"] + w["value_bias"]
        return policy, value, self.vertex_heads(x.permute(0, 2, 3, 1)), self.kinds(summary)

    def numbers(self) -> Weights:
        """The weights for a network file."""
        return {name: part.detach().float().cpu().numpy() for name, part in self.weights.items()}

    @staticmethod
    def of(shape: Shape, weights: Weights) -> Network:
        """A network with these weights. Ranges are not among its parameters."""
        network = Network(shape)
        with torch.no_grad():
            for name, part in network.weights.items():
                part.copy_(torch.from_numpy(np.ascontiguousarray(weights[name])))
        return network
