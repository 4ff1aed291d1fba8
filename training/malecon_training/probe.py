"""`python -m malecon_training.probe DIR...`: how much features say about the winner, without training a network.

A logistic regression predicts the result of the game from how many vertices have each feature, and whether one or two
have it. It takes seconds, so that features can be compared before networks are trained on them. It knows nothing of
where the vertices are.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

# The penalty on squared weights, and the steps of Newton's method.
PENALTY = 10.0
STEPS = 12


def load(directory: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Counts of features, results, whether the game is held out, and side lengths, of all samples."""
    manifest = json.loads((directory / "export.json").read_text())
    count = manifest["features"]["count"]
    columns = []
    for side in manifest["sides"]:
        features = np.load(directory / f"side-{side}" / "features.npy", mmap_mode="r")
        targets = np.load(directory / f"side-{side}" / "targets.npy")
        counts = np.empty((len(features), count))
        for i in range(0, len(features), 2000):
            bits = np.unpackbits(np.asarray(features[i : i + 2000]), axis=2, bitorder="little")
            counts[i : i + 2000] = bits[:, :, :count].sum(1)
        columns.append(
            (counts, targets["result"].astype(float), targets["held_out"] != 0, np.full(len(targets), int(side)))
        )
    return tuple(np.concatenate(column) for column in zip(*columns, strict=True))


def predictions(counts: np.ndarray, result: np.ndarray, training: np.ndarray) -> np.ndarray:
    """The chance that each sample's player to move wins, learned from the samples of `training`."""
    inputs = np.concatenate([counts, counts > 0, counts > 1], 1)
    inputs = (inputs - inputs[training].mean(0)) / (inputs[training].std(0) + 1e-9)
    inputs = np.concatenate([inputs, np.ones((len(inputs), 1))], 1)
    known, weights = inputs[training], np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-known @ weights))
        gradient = known.T @ (chance - result[training]) + PENALTY * weights
        curvature = (known.T * (chance * (1.0 - chance))) @ known + PENALTY * np.eye(len(weights))
        weights -= np.linalg.solve(curvature, gradient)
    return np.clip(1.0 / (1.0 + np.exp(-inputs @ weights)), 1e-4, 1.0 - 1e-4)


def main() -> None:
    parser = argparse.ArgumentParser(prog="malecon_training.probe", description=__doc__.split("\n\n")[0])
    parser.add_argument("samples", type=Path, nargs="+", metavar="DIR", help="what 'malecon learn export' wrote")
    for directory in parser.parse_args().samples:
        counts, result, held_out, sides = load(directory)
        chance = predictions(counts, result, ~held_out)
        loss = -(result * np.log(chance) + (1.0 - result) * np.log(1.0 - chance))
        right = (chance > 0.5) == (result > 0.5)
        by_side = ", ".join(f"{side}: {loss[held_out & (sides == side)].mean():.4f}" for side in np.unique(sides))
        print(
            f"{directory}: value {loss[held_out].mean():.4f}, winner {100 * right[held_out].mean():.1f} % of "
            f"{held_out.sum()} samples held out; by side {by_side}; value {loss[~held_out].mean():.4f} in training"
        )


if __name__ == "__main__":
    main()
