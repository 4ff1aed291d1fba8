"""Samples that `malecon learn export` wrote, as batches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from .shape import FEATURE_VERSION, FEATURES

NONE = 0xFFFF
SYMMETRIES = 12
# For how many steps batches of mixed boards are made together.
AT_ONCE = 8


@dataclass
class Batch:
    """Positions on a common grid. Cells off the board are zero."""

    features: Tensor  # positions, features, rows, columns
    mask: Tensor  # positions, 1, rows, columns
    size: Tensor  # the side length
    policy: Tensor  # positions, cells: shares of the visits, which sum to 1, or all zero
    legal: Tensor  # positions, cells: whether there is no stone
    reply: Tensor  # the cell of the opponent's reply, or -1
    ending: Tensor  # positions, cells: 0 empty, 1 own, 2 opposing at the end; with 4 in the winning structure
    structures: Tensor  # bits: bridge, fork, ring; 0 if unknown
    value: Tensor  # the value of the search
    result: Tensor  # the result of the game
    weight: Tensor  # the weight of the sample
    predicted: Tensor  # the value that the network of the export predicts
    surprise: Tensor  # the divergence of the visits from that network's policy

    def shuffled(self, generator: torch.Generator) -> Batch:
        """The positions in random order."""
        order = torch.randperm(len(self.value), generator=generator).to(self.value.device)
        return Batch(*(part[order] for part in vars(self).values()))

    def split(self, size: int) -> list[Batch]:
        """Batches of `size` positions, in their order; the last one may be smaller."""
        columns = [part.split(size) for part in vars(self).values()]
        return [Batch(*column) for column in zip(*columns, strict=True)]


class Side:
    """The samples of one side length."""

    def __init__(self, directory: Path, description: dict, images: Tensor, device: torch.device):
        def array(name: str) -> np.ndarray:
            # Mapped, so that trainings on the same samples share their memory.
            return np.load(directory / f"{name}.npy", mmap_mode="c")

        self.side = int(directory.name.removeprefix("side-"))
        self.device = device
        self.coordinates = torch.tensor(description["coordinates"])
        self.symmetries = torch.tensor(description["symmetries"])
        # For each symmetry and feature, the feature that becomes it.
        self.sources = torch.argsort(images, 1).to(device)
        self.features = torch.from_numpy(array("features")).to(device)
        # Shares as bits of signed numbers: PyTorch hardly computes with unsigned ones.
        self.policy = torch.from_numpy(array("policy").view(np.int16)).to(device)
        self.has_visits = (self.policy != 0).any(1)
        self.ending = torch.from_numpy(array("ending")).to(device)
        targets = array("targets")
        self.game = targets["game"].astype(np.int64)
        self.held_out = targets["held_out"] != 0
        column = lambda name, kind: torch.from_numpy(targets[name].astype(kind)).to(device)  # noqa: E731
        self.reply = column("reply", np.int64)
        self.structures = column("structures", np.int64)
        self.value, self.result = column("value", np.float32), column("result", np.float32)
        self.surprise, self.predicted = column("surprise", np.float32), column("predicted", np.float32)
        self.weight = torch.ones_like(self.value)
        # Whether a search of self-play left no visits here, although it did not prove the result. Human games have
        # their result as value.
        self.is_short = (~self.has_visits & (self.value != self.result)).cpu().numpy()
        self._cells: dict[int, Tensor] = {}

    def cells(self, width: int) -> Tensor:
        """For each symmetry and vertex, the cell of the vertex's image on a grid of this width."""
        if width not in self._cells:
            letters, numbers = self.coordinates[self.symmetries].unbind(2)
            self._cells[width] = (letters * width + numbers).to(self.device)
        return self._cells[width]

    def batch(self, rows: Tensor, symmetry: Tensor, width: int) -> Batch:
        """The samples `rows`, each under a symmetry, on a grid of this width."""
        rows, symmetry = rows.to(self.device), symmetry.to(self.device)
        count, vertices = len(rows), self.features.shape[1]
        bits = self.features[rows].unsqueeze(3) >> torch.arange(8, device=self.device, dtype=torch.uint8) & 1
        bits = bits.reshape(count, vertices, -1)[:, :, :FEATURES]
        bits = bits.gather(2, self.sources[symmetry][:, None, :].expand(bits.shape))
        cells = self.cells(width)[symmetry]

        def on_grid(numbers: Tensor) -> Tensor:
            grid = torch.zeros((count, width * width, *numbers.shape[2:]), dtype=numbers.dtype, device=self.device)
            index = cells.reshape(cells.shape + (1,) * (numbers.dim() - 2)).expand(numbers.shape)
            return grid.scatter_(1, index, numbers)

        policy = on_grid((self.policy[rows].int() & 0xFFFF).float())
        stones = bits[:, :, 15:17]
        reply = self.reply[rows]
        reply_cell = cells.gather(1, reply.clamp(max=vertices - 1)[:, None])[:, 0]
        return Batch(
            features=on_grid(bits).float().permute(0, 2, 1).reshape(count, -1, width, width),
            mask=on_grid(torch.ones((count, vertices), device=self.device)).reshape(count, 1, width, width),
            size=torch.full((count,), float(self.side), device=self.device),
            policy=policy / policy.sum(1, keepdim=True).clamp(min=1.0),
            legal=on_grid((stones.sum(2) == 0).to(torch.uint8)).bool(),
            reply=torch.where(reply == NONE, -1, reply_cell),
            ending=on_grid(self.ending[rows]),
            structures=self.structures[rows],
            value=self.value[rows],
            result=self.result[rows],
            weight=self.weight[rows],
            predicted=self.predicted[rows],
            surprise=self.surprise[rows],
        )


class Samples:
    """The samples of exports, the oldest first: those of the newest `window` games, if given; without those of short
    searches, if they are `sparse`."""

    def __init__(
        self,
        directories: list[Path],
        device: torch.device,
        window: int | None = None,
        surprise: float = 0.0,
        sparse: bool = False,
    ):
        self.sides: list[Side] = []
        self.games = 0
        for directory in directories:
            try:
                self._read(directory, device)
            except KeyError as error:
                raise ValueError(f"{directory}: export.json has no {error}") from error
            except ValueError as error:
                raise ValueError(f"{directory}: {error}") from error
        first = 0 if window is None else max(0, self.games - window)
        self.training = self._rows(lambda side: ~side.held_out & (side.game >= first) & ~(sparse & side.is_short))
        self.tests = self._rows(lambda side: side.held_out)
        if not len(self.training):
            raise ValueError("no samples to train on (export more games)")
        self._weigh(surprise)

    def _read(self, directory: Path, device: torch.device) -> None:
        """Adds the samples of an export."""
        manifest = json.loads((directory / "export.json").read_text())
        if manifest["version"] != 1:
            raise ValueError(f"version {manifest['version']} (expected 1)")
        features = manifest["features"]
        if features["version"] != FEATURE_VERSION:
            raise ValueError(f"features of version {features['version']} (expected {FEATURE_VERSION})")
        images = torch.tensor(features["images"])
        for side, description in sorted(manifest["sides"].items(), key=lambda item: int(item[0])):
            samples = Side(directory / f"side-{side}", description, images, device)
            samples.game += self.games
            self.sides.append(samples)
        self.games += manifest["games"]

    def _rows(self, choose) -> Tensor:
        """Pairs of a side's index and a row."""
        rows = [(i, np.flatnonzero(choose(side))) for i, side in enumerate(self.sides)]
        pairs = [np.stack([np.full(len(chosen), i), chosen], 1) for i, chosen in rows]
        # Exports of no games have no sides.
        return torch.from_numpy(np.concatenate([np.empty((0, 2), np.int64), *pairs]))

    def _weigh(self, share: float) -> None:
        """A sample with visits has the weight 1 - share plus share times its surprise over the mean surprise."""
        surprises = torch.cat([side.surprise[side.has_visits] for side in self.sides])
        mean = surprises.mean().clamp(min=1e-6)
        for side in self.sides:
            weight = 1.0 - share + share * (side.surprise / mean).clamp(max=8.0)
            side.weight = torch.where(side.has_visits, weight, torch.ones_like(weight))

    def epoch(self, size: int, generator: torch.Generator, is_mixed: bool) -> list[Tensor]:
        """All training samples once, in random order, as batches of `size`: of any boards, or each of boards of one side.
        What does not fill the last batch of a side is left out."""
        sides = torch.tensor([side.side for side in self.sides])[self.training[:, 0]]
        parts = [self.training] if is_mixed else [self.training[sides == side] for side in sides.unique()]
        batches = []
        for part in parts:
            part = part[torch.randperm(len(part), generator=generator)]
            batches += [batch for batch in part.split(size) if len(batch) == min(size, len(part))]
        return [batches[i] for i in torch.randperm(len(batches), generator=generator).tolist()]

    def forever(self, size: int, generator: torch.Generator, is_mixed: bool) -> Iterator[list[Batch]]:
        """The batches of one step after another, in epochs without end, each sample under a random symmetry.

        Those of mixed boards are made for AT_ONCE steps together: on a graphics card, the many small operations take as
        long for one step as for all of them.
        """
        at_once = AT_ONCE if is_mixed else 1
        while True:
            epoch = self.epoch(size, generator, is_mixed)
            for start in range(0, len(epoch), at_once):
                pairs = torch.cat(epoch[start : start + at_once])
                symmetry = torch.randint(SYMMETRIES, (len(pairs),), generator=generator)
                batches = self.batches(pairs, symmetry, is_mixed)
                if is_mixed:
                    # Boards of one side lie together; each step is to have all of them.
                    (whole,) = batches
                    yield from ([batch] for batch in whole.shuffled(generator).split(size))
                else:
                    yield batches

    def batches(self, pairs: Tensor, symmetry: Tensor, is_mixed: bool) -> list[Batch]:
        """These samples, each under a symmetry: one batch on the grid of the largest board, or one for each side."""
        largest = 2 * max(self.sides[i].side for i in pairs[:, 0].unique().tolist()) - 1
        parts: dict[int, list[Batch]] = {}
        for i, side in enumerate(self.sides):
            chosen = pairs[:, 0] == i
            if chosen.any():
                width = largest if is_mixed else 2 * side.side - 1
                parts.setdefault(width, []).append(side.batch(pairs[chosen, 1], symmetry[chosen], width))
        return [joined(same) for same in parts.values()]


def joined(parts: list[Batch]) -> Batch:
    """One batch of several on grids of the same width."""
    if len(parts) == 1:
        return parts[0]
    return Batch(**{name: torch.cat([getattr(part, name) for part in parts]) for name in vars(parts[0])})
