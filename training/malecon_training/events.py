"""What TensorBoard shows of a training: losses of each board, calibration, and policies on boards. Needs tensorboard."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch

from .model import Network
from .samples import Samples
from .train import Progress, log_policy

# Positions whose policies are drawn.
EXAMPLES = 8
# The distance of neighbouring vertices in pixels, and the radius of what is drawn at a vertex, in such distances.
STEP = 22
RADIUS = 0.46

PAPER, EMPTY, OWN, OPPOSING, CHOSEN = (
    np.array(color) for color in ((253, 252, 249), (240, 228, 200), (255, 255, 255), (26, 26, 26), (0, 87, 168))
)


class Events:
    """Writes event files to a directory."""

    def __init__(self, directory: Path, samples: Samples):
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise SystemExit(f"error: --events needs tensorboard: pip install tensorboard ({error})") from error
        try:
            self.writer = SummaryWriter(directory)
        except OSError as error:
            raise SystemExit(f"error: --events: {error}") from error
        self.samples = samples
        chosen = []
        for i, side in enumerate(samples.sides):
            for pairs in (samples.tests, samples.training):
                rows = pairs[pairs[:, 0] == i]
                rows = rows[side.has_visits[rows[:, 1]].cpu()]
                # Human games, which may be all that is held out, have no visits.
                if len(rows):
                    chosen += rows[:: max(1, len(rows) // 2)][:2]
                    break
        self.examples = chosen[:EXAMPLES]

    def __call__(self, progress: Progress) -> None:
        """Writes how far a training has come. The training is worth more: if this cannot be written, it goes on."""
        if self.writer is None:
            return
        try:
            self.write(progress)
        except OSError as error:
            print(f"warning: no further events are written: {error}", file=sys.stderr, flush=True)
            self.writer = None

    def write(self, progress: Progress) -> None:
        add, step = self.writer.add_scalar, progress.step
        add("training/loss", progress.loss, step)
        add("training/rate", progress.rate, step)
        for side, losses in progress.losses.items():
            for name, value in vars(losses).items():
                add(f"{name.replace('_', ' ')}/side {side}", value, step)
        for number, pair in enumerate(self.examples):
            self.writer.add_image(
                f"visits and policy/{number}", self.picture(progress.network, pair), step, dataformats="HWC"
            )
        self.writer.flush()

    @torch.no_grad()
    def picture(self, network: Network, pair: torch.Tensor) -> np.ndarray:
        """A position twice, the visits of the search on the left and the network's policy on the right: the bluer, the
        likelier. The player to move has white stones."""
        side = self.samples.sides[int(pair[0])]
        batch = side.batch(pair[1:], torch.zeros(1, dtype=torch.long), 2 * side.side - 1)
        network.eval()
        logits, *_ = network(batch.features, batch.mask, batch.size)
        cells = side.cells(2 * side.side - 1)[0]
        stones = batch.features[0, 15:17].flatten(1)[:, cells].cpu().numpy()
        policies = [
            policy[0, cells].float().cpu().numpy() for policy in (batch.policy, log_policy(logits, batch).exp())
        ]
        return np.concatenate([board(side.coordinates.numpy(), stones, policy) for policy in policies], 1)


def board(coordinates: np.ndarray, stones: np.ndarray, policy: np.ndarray) -> np.ndarray:
    """A picture (rows, columns, 3) of a board whose vertices have these coordinates (letter, number), with own and
    opposing stones, and the probabilities of moves."""
    letters, numbers = coordinates.T.astype(float)
    centers = np.stack([letters - numbers / 2.0, numbers * np.sqrt(0.75)], 1)
    centers = STEP * (centers - centers.min(0) + 1.0)
    width, height = np.ceil(centers.max(0) + STEP).astype(int)
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    picture = np.broadcast_to(PAPER, (height, width, 3)).astype(float)
    for center, own, opposing, probability in zip(centers, *stones, policy, strict=True):
        # The square root shows unlikely moves, too.
        shade = min(1.0, float(probability) ** 0.5)
        color = OWN if own else OPPOSING if opposing else (1.0 - shade) * EMPTY + shade * CHOSEN
        distance = np.hypot(x - center[0], y - center[1])
        picture[distance < RADIUS * STEP] = color
        if own:
            picture[np.abs(distance - RADIUS * STEP) < 1.0] = OPPOSING
    return picture.astype(np.uint8)
