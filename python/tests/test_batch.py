"""Many positions at once, and positions as keys."""

import random

import numpy as np
import pytest

import malecon


def random_positions(side, count, swap=False, seed=1):
    rng, positions = random.Random(seed), []
    while len(positions) < count:
        position = malecon.Position(side, swap=swap)
        for _ in range(rng.randint(0, 2 * side)):
            position.play(rng.choice(position.legal_moves))
        if not position.is_over:
            positions.append(position)
    return positions


@pytest.mark.parametrize(("side", "count", "threads"), [(4, 1, 1), (5, 200, 1), (8, 130, 3), (13, 5, 8)])
def test_a_batch_says_what_each_position_says(side, count, threads):
    positions = random_positions(side, count)
    policy, value = malecon.evaluate(iter(positions), threads=threads)
    vertices = len(positions[0].vertices)
    assert policy.shape == (count, vertices) and value.shape == (count,)
    assert policy.dtype == value.dtype == np.float32
    for i, position in enumerate(positions):
        assert policy[i] == pytest.approx(position.policy, rel=1e-5, abs=0)
        assert value[i] == np.float32(position.value)
    features = malecon.features(positions)
    assert features.shape == (count, vertices, malecon.FEATURES) and features.dtype == np.float32
    assert all(np.array_equal(features[i], position.features()) for i, position in enumerate(positions))


def test_wrong_batches_are_refused():
    won = malecon.Position(3, moves="a1 c3 a2 d4 a3")
    for positions, error, message in [
        ([], ValueError, "there are no positions"),
        ([malecon.Position(4), malecon.Position(5)], ValueError, "the same board, but there are sides 4 and 5"),
        ([malecon.Position(3), won], ValueError, "position 1 is over"),
        ([malecon.Position(3), "e5"], TypeError, "Position"),
        (malecon.Position(3), TypeError, "not iterable"),
    ]:
        for call in [malecon.evaluate, malecon.features]:
            with pytest.raises(error, match=message):
                call(positions)
    with pytest.raises(ValueError, match="invalid threads 0"):
        malecon.evaluate([malecon.Position(3)], threads=0)


def test_ctrl_c_ends_a_batch(ctrl_c_after):
    # It would take many seconds.
    with ctrl_c_after(0.2):
        malecon.evaluate([malecon.Position(13)] * 20_000)


def test_keys_are_those_of_positions_and_not_of_games():
    first, second = malecon.Position(5, moves="e5 d4 c3"), malecon.Position(5, moves="c3 d4 e5")
    assert first != second and first.key() == second.key() and len({first.key(), second.key()}) == 1
    different = [
        malecon.Position(5),
        malecon.Position(6),
        malecon.Position(5, moves="e5"),
        malecon.Position(5, swap=True, moves="e5"),
        malecon.Position(5, swap=True, moves="e5 swap"),
        malecon.Position(5, moves="e5 d4"),
        malecon.Position(5, moves="d4 e5"),
        malecon.Position(5, moves="e5 d4 resign"),
        malecon.Position(5, moves="e5 d4 black:resign"),
        first,
    ]
    assert len({position.key() for position in different}) == len(different)
    swapped = malecon.Position(5, swap=True, moves="e5 swap")
    assert swapped.key() == malecon.Position(5, moves="black:e5").key(), "a black stone, and White to move"


def test_symmetric_keys_are_those_of_all_images():
    positions = random_positions(4, 60) + random_positions(5, 60, swap=True)
    for position in positions:
        images = [position.image(i) for i in range(12)]
        assert len({image.key(symmetric=True) for image in images}) == 1
        assert position.key(symmetric=True) in {image.key() for image in images}
    # Only images have the same: each pair is compared with the plain keys of all images.
    small = random_positions(3, 60, seed=2)
    for one in small:
        keys = {one.image(i).key() for i in range(12)}
        for other in small:
            assert (one.key(symmetric=True) == other.key(symmetric=True)) == (other.key() in keys)
