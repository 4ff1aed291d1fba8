"""Tests of the trainer against the engine: `python training/tests/test_training.py`, with the engine in `MALECON`
or `target/release/malecon`.

The engine plays and exports a few games, so that both sides see the same positions.
"""

from __future__ import annotations

import contextlib
import copy
import errno
import io
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
import torch
from torch import Tensor

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from malecon_training import files, modelfile  # noqa: E402
from malecon_training.__main__ import main  # noqa: E402
from malecon_training.events import Events, board  # noqa: E402
from malecon_training.grow import balanced, dead, deepened, revived  # noqa: E402
from malecon_training.model import Network  # noqa: E402
from malecon_training.samples import Batch, Samples, Side  # noqa: E402
from malecon_training.shape import TARGET, Shape  # noqa: E402
from malecon_training.train import (  # noqa: E402
    Progress,
    Settings,
    between,
    choose_threads,
    load,
    log_policy,
    measure,
    save_checkpoint,
    scaled,
    show,
    test,
    train,
)

MALECON = os.environ.get("MALECON", str(ROOT.parent / "target/release/malecon"))
# Threads only wait for each other in networks this small.
torch.set_num_threads(1)
CPU = torch.device("cpu")
SHAPES = (Shape(2, 16, 8), Shape(1, 32, 32), Shape(2, 48, 20), Shape(1, 64, 16))


def malecon(*arguments: object) -> None:
    subprocess.run([MALECON, *map(str, arguments)], check=True, capture_output=True)


def surprise(logits: Tensor, batch: Batch) -> Tensor:
    """How far the visits of each position are from the policy, as an export has it."""
    return -(batch.policy * log_policy(logits, batch)).sum(1) - torch.special.entr(batch.policy).sum(1)


class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = tempfile.TemporaryDirectory()
        cls.path = Path(cls.scratch.name)
        cls.games = cls.path / "games.jsonl"
        play = ("--games", 60, "--sides", "4:2,5:1,7:1", "--simulations", 40, "--short", 10)
        malecon("learn", "play", *play, "--out", cls.games)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.scratch.cleanup()

    def export(self, name: str, network: Path | None = None) -> Samples:
        out = self.path / name
        more = ("--network", network) if network else ()
        malecon("learn", "export", "--games", self.games, "--out", out, "--finish", 20, *more)
        return Samples([out], CPU)

    def random(self, shape: Shape) -> Network:
        network = Network(shape, torch.Generator().manual_seed(5))
        with torch.no_grad():
            for name, part in network.weights.items():
                if name == "size" or name.startswith("pool") or name.endswith("bias"):
                    part.normal_(0.0, 0.05, generator=torch.Generator().manual_seed(len(name)))
        return network

    def test_the_engine_computes_what_is_trained(self) -> None:
        """The export holds the value of its network, and how far the visits are from its policy."""
        examples = self.export("examples")
        for i, shape in enumerate(SHAPES):
            with self.subTest(shape=shape):
                network, file = self.random(shape), self.path / f"random-{i}.bin"
                modelfile.save(file, shape, scaled(network, measure(network, examples)), "random weights")
                samples = self.export(f"predicted-{i}", file)
                values = []
                for batch in samples.batches(
                    samples.training, torch.zeros(len(samples.training), dtype=torch.long), False
                ):
                    with torch.no_grad():
                        logits, value, *_ = network(batch.features, batch.mask, batch.size)
                    values.append(value.sigmoid())
                    torch.testing.assert_close(value.sigmoid(), batch.predicted, atol=0.02, rtol=0.0)
                    known = batch.policy.sum(1) > 0
                    found = surprise(logits, batch)
                    torch.testing.assert_close(found[known], batch.surprise[known], atol=0.03, rtol=0.02)
                self.assertGreater(torch.cat(values).std().item(), 0.003, "positions must differ in value")

    def test_outputs_turn_with_the_board(self) -> None:
        """A network that treats all directions, corners and sides alike gives turned positions the same value and
        turned moves, on grids of any width."""
        samples = self.export("symmetries")
        network, side = self.random(SHAPES[1]), samples.sides[0]
        with torch.no_grad():
            weights = network.weights
            for name in ("first", "conv0", "conv1"):
                weights[name][1:] = weights[name][1:].mean(0)
            weights["first"].copy_(torch.stack([weights["first"][:, order] for order in side.sources]).mean(0))
        rows = torch.arange(min(20, len(side.value)))
        expected = None
        for symmetry in range(12):
            width = 2 * side.side - 1 + 2 * (symmetry % 3)
            batch = side.batch(rows, torch.full_like(rows, symmetry), width)
            with torch.no_grad():
                logits, value, *_ = network(batch.features, batch.mask, batch.size)
            turned = logits.flatten(1).gather(1, side.cells(width)[symmetry].expand(len(rows), -1))
            if expected is None:
                expected = (value, turned)
            torch.testing.assert_close(value, expected[0], atol=1e-4, rtol=1e-4)
            torch.testing.assert_close(turned, expected[1], atol=1e-4, rtol=1e-4)

    def test_files_are_read_back(self) -> None:
        for shape in SHAPES:
            weights = self.random(shape).numbers()
            file = self.path / "read-back.bin"
            modelfile.save(file, shape, weights, "a text with letters beyond ASCII: é")
            read, numbers = modelfile.load(file)
            self.assertEqual(read, shape)
            self.assertTrue(all((numbers[name] == part).all() for name, part in weights.items()))
            self.assertTrue(all((numbers[f"range{b}"] == TARGET).all() for b in range(shape.blocks)))
            malecon("network", file)
            ranges = {f"range{b}": np.linspace(0.5, 128.0, shape.channels) for b in range(shape.blocks)}
            modelfile.save(file, shape, {**weights, **ranges}, "")
            _, numbers = modelfile.load(file)
            self.assertTrue(all((numbers[name] == part.astype("f4")).all() for name, part in ranges.items()))
            self.assertTrue(all((Network.of(read, numbers).numbers()[name] == weights[name]).all() for name in weights))
            malecon("network", file)
            for bad in (0.4, 129.0, np.nan):
                with self.assertRaisesRegex(ValueError, "range0 is out of range"):
                    modelfile.encode(shape, {**weights, "range0": np.full(shape.channels, bad)}, "")
            whole = file.read_bytes()
            for damaged, said in (
                (whole.replace(b"\x03", b"\x01", 1), "version of the format"),
                (whole[:-1], "truncated"),
                (whole[:70], "truncated"),
                (whole[:-8], "too few"),
                (whole + bytes(4), r"\d+ weights \(expected"),
                (whole[:-1] + bytes([whole[-1] ^ 1]), "checksum"),
                (whole[:23] + bytes([whole[23] ^ 64]) + whole[24:], r"no network of \d+ blocks"),
            ):
                file.write_bytes(damaged)
                with self.assertRaisesRegex(ValueError, said):
                    modelfile.load(file)
            weights["policy"][0] = 1e6
            with self.assertRaises(ValueError):
                modelfile.encode(shape, weights, "")

    def test_files_without_ranges_are_read(self) -> None:
        """Those that are compiled into the engine."""
        for version, arguments in ((2, ("--side", 5)), (2, ("--solver",)), (3, ("--side", 6))):
            file = self.path / "compiled-in.bin"
            file.unlink(missing_ok=True)
            malecon("network", *arguments, "--out", file)
            self.assertEqual(file.read_bytes()[8], version)
            shape, weights = modelfile.load(file)
            self.assertEqual("range0" in weights, version == 3)
            network = Network.of(shape, weights)
            self.assertTrue(all((weights[name] == part).all() for name, part in network.numbers().items()))

    def test_a_deepened_network_computes_the_same(self) -> None:
        """And what is new takes part in training: its last convolution has gradients."""
        samples = self.export("deepened")
        network = self.random(Shape(2, 32, 16))
        deeper = deepened(network, 5, torch.Generator().manual_seed(6))
        self.assertEqual(deeper.shape, Shape(5, 32, 16))
        for side in samples.sides:
            rows = torch.arange(len(side.value))
            batch = side.batch(rows, torch.zeros_like(rows), 2 * side.side - 1)
            outputs = [n(batch.features, batch.mask, batch.size) for n in (network, deeper)]
            for before, after in zip(*outputs, strict=True):
                torch.testing.assert_close(before, after)
            outputs[1][1].sum().backward()
        new = [b for b in range(5) if not deeper.weights[f"conv{2 * b + 1}"].any()]
        self.assertEqual(len(new), 3)
        for b in new:
            self.assertTrue(deeper.weights[f"conv{2 * b + 1}"].grad.any())
        with self.assertRaises(ValueError):
            deepened(deeper, 4, torch.Generator())

    def test_a_balanced_network_computes_the_same(self) -> None:
        """Also with channels that nothing leads to or nothing reads."""
        samples = self.export("balanced")
        for shape in SHAPES:
            network = self.random(shape)
            with torch.no_grad():
                for head in (network.vertex_heads, network.kinds):
                    head.weight.normal_(generator=torch.Generator().manual_seed(1))
                network.weights["conv0"].mul_(torch.linspace(0.0, 100.0, shape.channels))
                network.weights["conv1"][:, 3] = 0.0
                network.weights["first"].mul_(0.01)
            new = balanced(network)
            rows = torch.arange(20)
            batch = samples.sides[0].batch(rows, torch.zeros_like(rows), 2 * samples.sides[0].side - 1)
            with torch.no_grad():
                before, after = (each(batch.features, batch.mask, batch.size) for each in (network, new))
            for a, b in zip(before, after, strict=True):
                torch.testing.assert_close(b, a, rtol=1e-3, atol=1e-4)
            first, second = new.weights["conv0"].square().mean((0, 1)), new.weights["conv1"].square().mean((0, 2))
            others = [i for i in range(shape.channels) if i not in (0, 3)]
            torch.testing.assert_close(first[others], second[others], rtol=1e-3, atol=0.0)
            self.assertEqual((first[0].item(), second[3].item()), (0.0, 0.0))

    def test_dead_channels_begin_anew(self) -> None:
        """They fire in about half of the samples, the network computes the same, and what reads them can learn."""
        samples = self.export("revived")
        network = self.random(Shape(2, 32, 16))
        with torch.no_grad():
            network.weights["conv2_bias"][3:30] = -1e3
            network.weights["hidden_bias"][:5] = 10.0
            network.weights["hidden_bias"][5:] = -1e3
        before = dead(measure(network, samples))
        self.assertEqual([int(before[name].sum()) for name in ("inner0", "inner1", "hidden")], [0, 27, 11])
        # The bias of a dead channel, made 16 times as large, would be out of range.
        modelfile.encode(network.shape, scaled(network, measure(network, samples)), "")
        alive = revived(network, samples, torch.Generator().manual_seed(6))
        self.assertFalse(any(channels.any() for channels in dead(measure(alive, samples)).values()))
        fires: list[Tensor] = []

        def watch(name: str, layer: Tensor) -> None:
            if name == "inner1":
                fires.append(layer[:, 3:30] > 0)

        show(alive, samples, watch)
        share = torch.cat(fires).float().mean(0)
        self.assertTrue(0.1 < share.min() and share.max() < 0.9, share)
        for batch in samples.batches(samples.tests, torch.zeros(len(samples.tests), dtype=torch.long), False):
            outputs = [n(batch.features, batch.mask, batch.size) for n in (network, alive)]
            for old, new in zip(*outputs, strict=True):
                torch.testing.assert_close(old, new)
            (outputs[1][0].square().sum() + outputs[1][1].sum()).backward()
        self.assertTrue(alive.weights["conv3"].grad[:, 3:30].abs().amax((0, 2)).all())
        self.assertTrue(alive.weights["value"].grad[5:].all())

    def test_games_that_are_held_out_are_not_trained_on(self) -> None:
        samples = self.export("held-out")
        self.assertTrue(len(samples.tests), "of these games, none is held out: play more")
        for i, side in enumerate(samples.sides):
            tests, training = (
                set(pairs[pairs[:, 0] == i, 1].tolist()) for pairs in (samples.tests, samples.training)
            )
            self.assertEqual(tests, set(np.flatnonzero(side.held_out)))
            self.assertEqual(training, set(np.flatnonzero(~side.held_out)))

    def test_a_turned_sample_is_that_of_the_turned_game(self) -> None:
        lines = self.games.read_text().splitlines(keepends=True)
        text = "".join(line for line in lines if json.loads(line)["side"] == 4)

        def exported(name: str, text: str) -> Side:
            games, out = self.path / f"{name}.jsonl", self.path / name
            games.write_text(text)
            malecon("learn", "export", "--games", games, "--out", out, "--finish", 0)
            return Samples([out], CPU).sides[0]

        straight = exported("straight", text)
        names = [f"{chr(ord('a') + letter)}{number + 1}" for letter, number in straight.coordinates.tolist()]
        rows, width = torch.arange(len(straight.value)), 2 * straight.side - 1
        for symmetry, order in enumerate(straight.symmetries.tolist()):
            images = dict(zip(names, (names[image] for image in order), strict=True))
            turned = re.sub(r'"([a-z]\d+)"', lambda found: f'"{images[found[1]]}"', text)  # noqa: B023
            found = exported(f"turned-{symmetry}", turned).batch(rows, torch.zeros_like(rows), width)
            expected = straight.batch(rows, torch.full_like(rows, symmetry), width)
            self.assertTrue(torch.equal(found.features, expected.features), symmetry)

    def test_exports_are_joined_and_a_batch_has_one_board(self) -> None:
        samples = self.export("joined")
        twice = Samples([self.path / "joined"] * 2, CPU)
        self.assertEqual((twice.games, len(twice.training)), (2 * samples.games, 2 * len(samples.training)))
        self.assertEqual(len(Samples([self.path / "joined"] * 2, CPU, samples.games).training), len(samples.training))
        with self.assertRaisesRegex(ValueError, "no samples to train on"):
            Samples([self.path / "joined"], CPU, window=0)
        batches = twice.epoch(8, torch.Generator().manual_seed(1), False)
        sides = [{twice.sides[i].side for i in batch[:, 0].tolist()} for batch in batches]
        self.assertTrue(all(len(side) == 1 for side in sides) and len(set.union(*sides)) == 3)
        self.assertGreater(8 * len(batches), len(twice.training) - 3 * 8)

    def test_steps_are_epochs_of_shuffled_batches(self) -> None:
        """Each sample comes once in an epoch, in batches of one size, whose boards are mixed if they may be."""
        samples = self.export("steps")
        for side in samples.sides:
            side.weight = torch.arange(len(side.weight)) + 1e6 * side.side
        for is_mixed in (False, True):
            generator = torch.Generator().manual_seed(1)
            count = len(samples.epoch(16, generator, is_mixed))
            steps = samples.forever(16, generator, is_mixed)
            weights, sizes, boards = set(), [], []
            for batches in itertools.islice(steps, count):
                self.assertEqual(len(batches), 1)
                weights.update(batches[0].weight.tolist())
                sizes.append(len(batches[0].features))
                boards.append(len(batches[0].size.unique()))
            self.assertEqual(set(sizes), {16})
            self.assertEqual(len(weights), 16 * count)
            self.assertGreater(16 * count, len(samples.training) - 3 * 16)
            self.assertEqual(statistics.median(boards), 3 if is_mixed else 1)

    def test_scaling_keeps_the_function_and_the_range(self) -> None:
        samples = self.export("scaling")
        for shape in (SHAPES[1], SHAPES[2]):
            network = self.random(shape)
            with torch.no_grad():
                network.weights["first"] *= 60.0
            smaller = Network.of(shape, scaled(network, measure(network, samples)))
            for batch in samples.batches(samples.training, torch.zeros(len(samples.training), dtype=torch.long), False):
                with torch.no_grad():
                    before = network(batch.features, batch.mask, batch.size)
                    after = smaller(batch.features, batch.mask, batch.size)
                torch.testing.assert_close(after[1], before[1], atol=1e-2, rtol=1e-3)
                torch.testing.assert_close(
                    log_policy(after[0], batch)[batch.legal],
                    log_policy(before[0], batch)[batch.legal],
                    atol=1e-2,
                    rtol=1e-3,
                )
            before, after = (
                max(most.max().item() for name, most in measure(n, samples).items() if name != "hidden")
                for n in (network, smaller)
            )
            self.assertGreater(before, 1.5 * TARGET)
            self.assertTrue(0.9 * TARGET < after < 1.01 * TARGET, after)

    def test_blocks_read_small_activations_in_their_own_ranges(self) -> None:
        """Where the first block makes the stream 20 times as large, the engine's policy stays close to the trained one.
        It does not if all blocks have the same range."""
        samples = self.export("ranges")
        network = self.random(Shape(2, 32, 16))
        with torch.no_grad():
            network.weights["conv1"] *= 100.0
            network.weights["policy"] /= 50.0
        largest = measure(network, samples)
        most = [largest[f"stream{b}"].numpy() for b in range(3)]
        self.assertLess(20.0 * np.median(most[0]), np.median(most[2]))
        weights = scaled(network, largest)
        scaled_most = measure(Network.of(network.shape, weights), samples)
        for b in range(2):
            expected = np.maximum(1.05 * scaled_most[f"stream{b}"].numpy(), TARGET / 16)
            np.testing.assert_allclose(weights[f"range{b}"], expected, rtol=1e-4)
        errors = []
        for name, is_kept in (("ranges", lambda _: True), ("same", lambda part: not part.startswith("range"))):
            file = self.path / f"{name}.bin"
            written = {part: numbers for part, numbers in weights.items() if is_kept(part)}
            modelfile.save(file, network.shape, written, "random weights")
            read = self.export(f"read-{name}", file)
            off = []
            for batch in read.batches(read.training, torch.zeros(len(read.training), dtype=torch.long), False):
                with torch.no_grad():
                    logits, *_ = network(batch.features, batch.mask, batch.size)
                known = batch.policy.sum(1) > 0
                off.append((surprise(logits, batch) - batch.surprise)[known].abs())
            errors.append(torch.cat(off).mean().item())
        self.assertLess(errors[0], 0.03)
        self.assertLess(errors[0], 0.5 * errors[1], errors)

    def test_tensorboard_shows_losses_and_policies(self) -> None:
        try:
            from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        except ImportError:
            self.skipTest("tensorboard is missing")
        samples, directory = self.export("events"), self.path / "logs"
        # So that some samples of each board are tested.
        samples.tests = samples.training[::2]
        settings = Settings(steps=6, batch=16, tests=3)
        seen = []
        events = Events(directory, samples)

        def observe(progress: Progress) -> None:
            seen.append(progress)
            events(progress)

        train(self.random(SHAPES[0]), samples, settings, CPU, observe=observe)
        read = EventAccumulator(str(directory)).Reload()
        sides = sorted({samples.sides[i].side for i in samples.tests[:, 0].tolist()})
        self.assertEqual([sorted(progress.losses) for progress in seen], [sides] * 3)
        for name in ("policy", "first choice", "value", "winner", "calibration"):
            for side in sides:
                shown = [scalar.value for scalar in read.Scalars(f"{name}/side {side}")]
                expected = [getattr(progress.losses[side], name.replace(" ", "_")) for progress in seen]
                np.testing.assert_allclose(shown, expected, rtol=1e-6)
        self.assertEqual([scalar.step for scalar in read.Scalars("training/loss")], [2, 4, 6])
        self.assertTrue(all(0.0 <= losses.calibration <= 1.0 for losses in seen[-1].losses.values()))
        self.assertEqual(len(read.Tags()["images"]), len(events.examples))
        # The player's stones are white, and the likeliest move is the bluest.
        drawn = board(np.array([[0, 0], [1, 0], [2, 1]]), np.array([[1, 0, 0], [0, 1, 0]]), np.array([0.0, 0.0, 1.0]))
        colors = {tuple(color) for color in drawn.reshape(-1, 3).tolist()}
        self.assertTrue({(255, 255, 255), (26, 26, 26), (0, 87, 168)} <= colors)
        # A full disk ends the events, not the training.
        with mock.patch.object(events.writer, "add_scalar", side_effect=OSError("the disk is full")) as add:
            for _ in range(2):
                events(seen[-1])
        add.assert_called_once()

    def test_no_more_threads_than_help(self) -> None:
        """The fastest number of threads is taken, and the network stays as it is."""
        samples, network = self.export("threads"), self.random(SHAPES[0])
        self.addCleanup(torch.set_num_threads, 1)
        for most, counts in ((1, [1]), (2, [1, 2]), (3, [1, 2, 3])):
            tried = choose_threads(network, samples, Settings(batch=16), most)
            self.assertEqual(sorted(count for count, _ in tried), counts)
            self.assertEqual(tried, sorted(tried, key=lambda trial: trial[1]))
            self.assertEqual(torch.get_num_threads(), tried[0][0])
        same = self.random(SHAPES[0])
        self.assertTrue(all(a.equal(b) for a, b in zip(network.parameters(), same.parameters(), strict=True)))
        self.assertTrue(all(part.grad is None for part in network.parameters()))

    def test_at_a_low_rate_weights_hardly_change(self) -> None:
        """The decay of the weights falls with the rate, too: otherwise it would win at low rates."""
        network, samples = self.random(SHAPES[0]), self.export("low-rate")
        settings = Settings(steps=30, batch=32, rate=1e-7, warm_up=1, tests=1, average=0.0)
        trained = train(copy.deepcopy(network), samples, settings, CPU)
        for before, after in zip(network.parameters(), trained.parameters(), strict=True):
            torch.testing.assert_close(after, before, rtol=0.0, atol=1e-5)

    def test_training_lowers_the_loss(self) -> None:
        samples = self.export("training")
        shape = Shape(1, 16, 16)
        network = Network(shape, torch.Generator().manual_seed(1))
        before = test(network, samples, samples.training)
        for mixed in (False, True):
            settings = Settings(
                steps=120, batch=32, rate=0.005, warm_up=10, tests=1, mixed=mixed, average=0.9, distillation=0.2
            )
            teacher = self.random(shape).eval() if mixed else None
            trained = train(Network.of(shape, network.numbers()), samples, settings, CPU, teacher)
            after = test(trained, samples, samples.training)
            self.assertLess(after.policy, before.policy - 0.1)
            self.assertLess(after.value, before.value - 0.05)
        for part, weights in [(0.0, network), (1.0, trained)]:
            met = between(network, trained, part)
            self.assertTrue(all(a.equal(b) for a, b in zip(met.parameters(), weights.parameters(), strict=True)))

    def run_trainer(self, *words: object) -> tuple[str, str]:
        """What the trainer prints, on standard output and as errors."""
        with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()) as errors:
            try:
                main([str(word) for word in words])
            except SystemExit as end:
                if isinstance(end.code, str):
                    print(end.code, file=errors)
        return output.getvalue(), errors.getvalue()

    def test_what_cannot_be_used_is_refused_before_any_work(self) -> None:
        self.export("refusals")
        samples, out = ("--samples", self.path / "refusals"), ("--out", self.path / "refused.bin")
        network, folder, text = self.path / "given.bin", self.path / "a-folder", self.path / "a-text"
        modelfile.save(network, SHAPES[0], self.random(SHAPES[0]).numbers(), "")
        folder.mkdir()
        text.write_text("This is no network.")
        nothing = self.path / "no-games"
        (self.path / "no-games.jsonl").touch()
        malecon("learn", "export", "--games", self.path / "no-games.jsonl", "--out", nothing)
        before = sorted(self.path.iterdir())
        for words, said in [
            ((*samples, "--out", self.path / "missing/n.bin"), "--out: .*missing/n.bin: No such file or directory"),
            ((*samples, "--out", folder), "--out: .*a-folder: Is a directory"),
            ((*samples, "--checkpoint", folder), "--checkpoint: .*a-folder: Is a directory"),
            ((*samples, "--out", network / "n.bin"), "--out: .*n.bin: Not a directory"),
            ((*samples, *out, "--events", text), "--events: .*a-text: File exists"),
            ((*samples, *out, "--checkpoint", out[1]), "are the same file"),
            ((*samples, *out, "--start", text), "--start: .*a-text: neither a network file nor a checkpoint"),
            ((*samples, *out, "--start", self.path / "none"), "--start: .*none: No such file"),
            ((*samples, *out, "--teacher", text), "--teacher: .*a-text: neither a network file nor a checkpoint"),
            ((*samples, *out, "--teacher", self.path / "none"), "--teacher: .*none: No such file"),
            ((*out, "--start", network, "--steps", 0, "--blocks", 65), r"--out: .* 65 blocks \(expected 1 to 64\)"),
            ((*out, "--start", network, "--steps", 0, "--blocks", 1), "--blocks: the network has 2 blocks already"),
            ((*out, "--config", "65x32", "--steps", 0), r"--out: .* 65 blocks \(expected 1 to 64\)"),
            ((*out, "--config", "3x24", "--steps", 0), "--out: the engine has no kernel for 24 channels"),
            ((*samples, *out, "--device", "abacus"), "--device: .*'abacus'"),
            (("--samples", folder, *out), "--samples: .*export.json: No such file"),
            (("--samples", nothing, *out), "--samples: no samples to train on"),
            *(
                ((*samples, *out, f"--{name}={value}"), f"--{name}: '{value}' .*expected")
                for name, values in {
                    "steps": ("-1", "many"),
                    "seconds": ("0", "-1", "nan", "inf"),
                    "batch": ("0", "1.5"),
                    "rate": ("0", "nan", "-1"),
                    "average": ("2", "-0.1"),
                    "surprise": ("-1", "2"),
                    "part": ("-1", "2"),
                    "distillation": ("-1", "2"),
                    "auxiliary": ("-1",),
                    "window": ("0",),
                    "threads": ("0",),
                    "blocks": ("0",),
                    "tests": ("-1",),
                    "seed": ("-1", str(2**64)),
                }.items()
                for value in values
            ),
        ]:
            with self.subTest(words=words):
                output, errors = self.run_trainer(*words)
                self.assertEqual(output, "")
                self.assertRegex(errors, rf"^error: .*{said}.*\n$")
                self.assertEqual(sorted(self.path.iterdir()), before)

    def test_a_network_file_can_teach(self) -> None:
        self.export("taught")
        teacher, out = self.path / "teacher.bin", self.path / "student.bin"
        modelfile.save(teacher, SHAPES[0], self.random(SHAPES[0]).numbers(), "")
        words = ("--samples", self.path / "taught", "--config", "1x16", "--steps", 2, "--batch", 16, "--threads", 1)
        output, errors = self.run_trainer(*words, "--teacher", teacher, "--out", out)
        self.assertEqual(errors, "")
        self.assertIn("final: policy", output)
        self.assertIn(b"taught by 2x16", out.read_bytes())
        malecon("network", out)

    def test_a_full_disk_leaves_the_older_files(self) -> None:
        """The training goes on if the checkpoint cannot be written meanwhile, and says at its end what is missing."""
        self.export("full")
        out, checkpoint = self.path / "full.bin", self.path / "full.pt"
        words = ("--samples", self.path / "full", "--config", "1x16", "--batch", 16, "--threads", 1)
        older = self.random(SHAPES[0])
        modelfile.save(out, older.shape, older.numbers(), "")
        save_checkpoint(checkpoint, older)
        before = {path: path.read_bytes() for path in (out, checkpoint)}
        names = sorted(self.path.iterdir())
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with mock.patch.object(files.os, "fsync", side_effect=full):
            output, errors = self.run_trainer(
                *words, "--steps", 4, "--tests", 2, "--out", out, "--checkpoint", checkpoint
            )
        lines = errors.splitlines()
        self.assertEqual(lines[:2], [f"warning: {checkpoint} was not written: No space left on device"] * 2)
        expected = [("--checkpoint", checkpoint), ("--out", out)]
        self.assertEqual(lines[2:], [f"error: {option}: {path}: No space left on device" for option, path in expected])
        self.assertIn("4 steps", output)
        self.assertEqual({path: path.read_bytes() for path in before}, before)
        self.assertEqual(sorted(self.path.iterdir()), names)
        self.assertEqual(load(checkpoint).shape, older.shape)

    def test_losses_that_are_not_known_are_said_to_be(self) -> None:
        samples, network = self.export("unknown"), self.random(SHAPES[0])
        self.assertRegex(str(test(network, samples, samples.tests[:0])), "^losses unknown .*held out")
        for side in samples.sides:
            side.policy = torch.zeros_like(side.policy)
        self.assertRegex(str(test(network, samples, samples.training)), r"^policy unknown \(.*visits\), value 0\.\d+")


if __name__ == "__main__":
    unittest.main()
