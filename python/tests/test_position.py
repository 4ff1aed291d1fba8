"""Positions: rules, moves, texts, and what the network sees."""

import copy
import itertools
import pickle
import random
import xml.etree.ElementTree
from pathlib import Path

import numpy as np
import pytest

import malecon

ROOT = Path(__file__).parents[2]
BRIDGE = ["a1", "c3", "a2", "d4", "a3"]


def random_position(side, length, seed=1):
    rng, position = random.Random(seed), malecon.Position(side)
    for _ in range(length):
        if not position.is_over:
            position.play(rng.choice(position.legal_moves))
    return position


def test_a_game_from_its_start_to_its_end():
    position = malecon.Position(side=3)
    assert (position.to_move, position.winner, position.is_over, position.moves) == ("white", None, False, [])
    assert len(position.legal_moves) == 19
    for move in BRIDGE:
        position.play(move)
    assert (position.winner, position.is_over, position.structures) == ("white", True, ["bridge"])
    assert position.winning_stones == {"bridge": ["a1", "a2", "a3"]}
    assert position.legal_moves == [] and position.legal_indices.size == 0
    position.undo(2)
    assert (position.to_move, position.winner, position.moves) == ("black", None, BRIDGE[:3])


def test_a_full_board_without_structures_is_a_draw():
    rng = random.Random(1)
    for _ in range(5000):
        position = malecon.Position(3)
        while not position.is_over:
            position.play(rng.choice(position.legal_indices))
        if position.winner is None:
            break
    assert position.is_over and position.winner is None and position.structures == []
    assert len(position.moves) == 19


def test_names_and_indices_are_the_same_moves():
    position = malecon.Position(8, swap=True)
    assert position.vertices[:2] == ["a1", "a2"] and len(position.vertices) == 169
    position.play(position.vertices.index("h8"))
    assert position.moves == ["h8"]
    assert position.legal_moves[-1] == "swap" and position.legal_indices[-1] == 169
    assert position.legal_moves[:-1] == [position.vertices[i] for i in position.legal_indices[:-1]]
    position.play(position.legal_indices[-1])
    assert position.moves == ["h8", "swap"] and position.to_move == "white"
    assert position.board[position.vertices.index("h8")] == -1 and np.abs(position.board).sum() == 1


@pytest.mark.parametrize(
    ("move", "error", "message"),
    [
        ("c3", ValueError, "c3 is occupied by black"),
        ("z1", ValueError, "vertex z1 is not on the board of side 3"),
        ("?", ValueError, "invalid vertex '\\?' \\(expected a letter and a number"),
        ("swap", ValueError, "swap is switched off"),
        ("pass", ValueError, "there is no pass in Havannah"),
        ("red:a5", ValueError, "invalid colour 'red'"),
        (20, IndexError, "there is no move 20 \\(expected 0 to 18 for vertices\\)"),
        (-1, IndexError, "there is no move -1"),
        (19, ValueError, "swap is switched off"),
        (1.5, TypeError, "a move is a string or the index of a vertex, not float"),
    ],
)
def test_a_bad_move_changes_nothing(move, error, message):
    for game in [malecon.Position(3, moves=BRIDGE[:4]), malecon.Session(3)]:
        if isinstance(game, malecon.Session):
            for played in BRIDGE[:4]:
                game.play(played)
        with pytest.raises(error, match=message):
            game.play(move)
        position = game if isinstance(game, malecon.Position) else game.position
        assert position == malecon.Position(3, moves=BRIDGE[:4])


def test_other_errors_have_one_line_and_change_nothing():
    position = malecon.Position(3, moves=BRIDGE)
    cases = [
        (lambda: malecon.Position(1), "invalid side length 1 (expected 2 to 13)"),
        (lambda: malecon.Position(-8), "invalid side length -8 (expected 2 to 13)"),
        (lambda: malecon.Position(3, moves=["a1", "a1"]), "a1 is occupied by white"),
        (lambda: position.play("e5"), "the game is over: white won by bridge"),
        (lambda: position.undo(6), "cannot undo 6 moves: only 5 were played"),
        (lambda: position.undo(-1), "invalid count -1 (expected at least 0)"),
        (lambda: position.image(12), "there is no symmetry 12 (expected 0 to 11)"),
        (lambda: position.policy, "the game is over: there is nothing to predict"),
        (lambda: position.value, "the game is over: there is nothing to predict"),
        (lambda: position.svg(line=["h8"]), "vertex h8 is not on the board of side 3"),
        (lambda: position.svg(line=itertools.cycle(["a1"])), "the line is too long (expected at most 19 moves)"),
        (lambda: malecon.Position(3, swap=True).play(20), "(expected 0 to 18 for vertices, 19 for swap)"),
        (lambda: malecon.Position(3, moves="a1 b9"), "vertex b9 is not on the board of side 3"),
        (lambda: malecon.Position.from_sgf("(;FF[4]SZ[4];W[a9])"), "1:16: "),
        (lambda: malecon.Position.from_sgf(""), "1:1: "),
    ]
    for call, message in cases:
        with pytest.raises((ValueError, IndexError)) as raised:
            call()
        assert message in str(raised.value) and "\n" not in str(raised.value)
    assert position == malecon.Position(3, moves=BRIDGE)


def test_copies_are_equal_and_go_their_own_way():
    position = malecon.Position(5, swap=True, moves=["e5", "swap", "c3", "white:d4"])
    for other in [position.copy(), copy.copy(position), copy.deepcopy(position), pickle.loads(pickle.dumps(position))]:
        assert other == position and not other != position and other.swap
        assert repr(other) == 'Position(side=5, swap=True, moves="e5 swap c3 white:d4")'
        assert eval(repr(other), {"Position": malecon.Position}) == position
        other.play("e4")
        assert other != position and "e4" not in position.moves
    assert position != malecon.Position(6) and position != "e5"
    with pytest.raises(TypeError):
        hash(position)


def test_a_line_that_is_no_list_of_names_is_refused():
    # A list of so many names would not fit in memory.
    with pytest.raises(TypeError):
        malecon.Position(4).svg(line=range(10**12))
    assert malecon.Position(4).svg(line="d4 e5") == malecon.Position(4).svg(line=["d4", "e5"])


def test_moves_are_words_of_a_string_or_items():
    expected = malecon.Position(8, moves=["h8", "g7", "white:a1"])
    assert malecon.Position(8, moves="h8 g7  white:a1") == expected
    assert malecon.Position(8, moves=iter(["h8", expected.vertices.index("g7"), "white:a1"])) == expected
    assert malecon.Position(8, moves="") == malecon.Position(8)
    assert malecon.Position(8, moves=malecon.Position(8, moves="h8").legal_indices[:2]).moves == ["a1", "a2"]


def test_every_record_is_a_position_that_can_be_made_again():
    """Recorded games and random ones, with and without a swap, from every way that leads to a position."""
    rng, texts = random.Random(1), []
    for file in sorted((ROOT / "tests/data").glob("**/*")):
        if file.suffix in (".sgf", ".hgf", ".jsonl"):
            texts.append(file.read_bytes())
    for number in range(200):
        position = malecon.Position(rng.randint(3, 6), swap=number % 2 == 0)
        for _ in range(rng.randint(0, 60)):
            if not position.is_over:
                swaps_now = "swap" in position.legal_moves and rng.random() < 0.5
                position.play("swap" if swaps_now else rng.choice([m for m in position.legal_moves if m != "swap"]))
        if not position.is_over and rng.random() < 0.2:
            position.play("resign")
        texts.append(position.to_sgf())
    swaps, read = 0, 0
    for text in texts:
        try:
            position = malecon.Position.from_sgf(text)
        except ValueError:
            continue
        swaps, read = swaps + ("swap" in position.moves), read + 1
        session = malecon.Session(4)
        session.load(text)
        assert session.position == position
        session.set_options(swap=False)
        without = session.position
        for one in [position, without, position.image(5), position.copy()]:
            assert pickle.loads(pickle.dumps(one)) == one
            assert eval(repr(one), {"Position": malecon.Position}) == one
            assert "swap" not in one.moves or one.swap, "where there was a swap, there is the pie rule"
    assert swaps > 20 and read >= 200


def test_sgf_goes_out_and_in():
    for side in (3, 5, 8):
        for seed in range(10):
            position = random_position(side, 3 * side, seed)
            assert malecon.Position.from_sgf(position.to_sgf()) == position
    swapped = malecon.Position(4, swap=True, moves=["d4", "swap", "e5", "resign"])
    again = malecon.Position.from_sgf(swapped.to_sgf().encode())
    assert again == swapped and again.winner == "white" and again.is_over
    little_golem = "(;FF[4]SZ[4]SO[http://www.littlegolem.com];W[D1];B[swap];W[E1])"
    assert malecon.Position.from_sgf(little_golem).moves == ["d1", "swap", "e2"]


def test_symmetries_are_permutations_that_keep_neighbours_and_winners():
    position = random_position(4, 30)
    symmetries, coordinates = position.symmetries, position.coordinates
    assert symmetries.shape == (12, 37) and coordinates.shape == (37, 2)
    assert (symmetries[0] == np.arange(37)).all()
    assert all((np.sort(image) == np.arange(37)).all() for image in symmetries)
    assert len({tuple(image) for image in symmetries.tolist()}) == 12

    def adjacency(image):
        steps = coordinates[image][:, None] - coordinates[image][None, :]
        return [[tuple(step) in {(1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1)} for step in row] for row in steps]

    for number, image in enumerate(symmetries):
        assert adjacency(image) == adjacency(symmetries[0])
        turned = position.image(number)
        assert (turned.board[image] == position.board).all()
        assert (turned.winner, turned.structures) == (position.winner, position.structures)


def test_features_say_where_the_stones_are():
    position = random_position(6, 21)
    features = position.features()
    assert features.shape == (91, 127) and features.dtype == np.float32
    assert set(np.unique(features)) == {0.0, 1.0}
    own = 1 if position.to_move == "white" else -1
    assert (features[:, 0] == 1).all()
    assert ((features[:, 15] == 1) == (position.board == own)).all()
    assert ((features[:, 16] == 1) == (position.board == -own)).all()
    assert position.vertices[int(features[:, 17].argmax())] == position.moves[-1]


@pytest.mark.parametrize("side", [4, 8])
def test_the_policy_is_what_the_engine_searches_with(side):
    session = malecon.Session(side, seed=1)
    for move in ["d4", "c3", "d2"]:
        session.play(move)
    position = session.position
    policy = position.policy
    assert policy.shape == (len(position.vertices),) and policy.dtype == np.float32
    assert policy.sum() == pytest.approx(1) and (policy[position.board != 0] == 0).all()
    assert (policy[position.legal_indices] > 0).all() and 0 < position.value < 1
    priors = {m.move: m.prior for m in session.analyze(simulations=2).moves if m.prior is not None}
    assert len(priors) > 10
    for move, prior in priors.items():
        # The search keeps priors as the upper halves of floats, to the nearest: eight binary digits.
        assert policy[position.vertices.index(move)] == pytest.approx(prior, rel=2**-8, abs=0)
    position.play(position.vertices[int(policy.argmax())])
    assert not np.array_equal(position.policy, policy), "a move changes what the network says"


def test_pictures_and_text():
    position = malecon.Position(8, moves=["h8", "g7"])
    plain = position._repr_svg_()
    assert plain == position.svg() and "2 stones, last move g7" in plain
    picture = position.svg(labels={"h8": 1, "c3": "61 %"}, line=["d4", "e5"])
    assert xml.etree.ElementTree.fromstring(picture).tag.endswith("svg") and "61 %" in picture
    assert str(position).endswith("white (O) to move, 2 stones, last move g7")
    assert repr(position) == 'Position(side=8, moves="h8 g7")'


WON = "4/5/6/w3b2/w5/5/w1b1 w"


def test_a_position_string_is_read_as_it_was_written():
    for seed in range(20):
        position = random_position(5, 3 * seed, seed)
        text = position.to_string()
        read = malecon.Position.from_string(text)
        assert read.to_string() == text and read.key() == position.key() and read.is_over == position.is_over
        assert (read.board == position.board).all() and read.to_move == position.to_move
    assert malecon.Position(4, swap=True, moves="d4").to_string() == "4/5/6/3w3/6/5/4 b swap"
    assert malecon.Position(4, swap=True, moves="d4 swap").to_string() == "4/5/6/3b3/6/5/4 w"
    assert malecon.Position.from_string("4/5/6/7/6/5/4 w swap") == malecon.Position(4, swap=True)


def test_the_order_of_moves_is_not_in_the_string():
    one, other = malecon.Position(4, moves="a1 c3 d4"), malecon.Position(4, moves="d4 c3 a1")
    assert one != other and one.to_string() == other.to_string()
    assert malecon.Position.from_string(one.to_string()) == malecon.Position.from_string(other.to_string())


def test_stones_that_were_set_up_stay_so():
    position = malecon.Position.from_string(WON, moves="b2")
    assert position.to_move == "black" and len(position.legal_moves) == 37 - 6
    assert repr(position) == f'Position.from_string("{WON}", moves="b2")'
    copies = [copy.copy(position), pickle.loads(pickle.dumps(position)), position.image(0), position.image(1).image(1)]
    copies.append(eval("malecon." + repr(position)))
    copies.append(malecon.Position.from_sgf(position.to_sgf()))
    for same in copies:
        assert same.to_move == "black" and same.undo() is None and same.to_move == "white"
        if same.board[same.vertices.index("a1")]:
            assert same == malecon.Position.from_string(WON)
    assert malecon.Position.from_string(WON) != malecon.Position.from_string(WON[:-1] + "b")
    black_first = malecon.Position.from_string("3/4/5/4/3 b")
    assert pickle.loads(pickle.dumps(black_first)) == black_first != malecon.Position(3)
    assert black_first.image(3).to_move == "black"


def test_a_session_takes_a_position():
    session = malecon.Session(6, seed=1)
    for position in (WON, malecon.Position.from_string(WON)):
        session.set_position(position)
        assert session.analyze(simulations=50).best == "a2" and session.position.to_string() == WON
    played = malecon.Position(4, swap=True, moves="d4 swap e4")
    session.set_position(played)
    assert session.position == played
    session.set_position(WON)
    assert session.genmove(simulations=50) == "a2" and session.position.winner == "white"
    before = session.position
    for text, error in (("4/5 w", "no board has rows of 4, 5 vertices"), ("4/5/6/7/7/6/5/4 w", "board 4-4-5")):
        with pytest.raises(ValueError, match=error):
            session.set_position(text)
    with pytest.raises(TypeError):
        session.set_position(4)  # type: ignore[arg-type]
    assert session.position == before
    session.load(WON)
    assert session.position.to_string() == WON


def test_hexagons_that_are_not_regular():
    position = malecon.Position("4-4-5", moves="a1 h8")
    with pytest.raises(ValueError, match="expected a board with six equal sides"):
        position.to_sgf()
    assert (position.shape, len(position.vertices), len(position.symmetries)) == ("4-4-5", 44, 4)
    assert (malecon.Position("5").shape, malecon.Position("5") == malecon.Position(5)) == ("5", True)
    assert malecon.Position("5-4-4", moves="a1 h8") == position
    assert eval(repr(position), {"Position": malecon.Position}) == position
    assert pickle.loads(pickle.dumps(position)) == position
    assert malecon.Position.from_string(position.to_string()).key() == position.key()
    images = [position.image(k) for k in range(4)]
    assert len({image.key() for image in images}) > 1
    assert len({image.key(symmetric=True) for image in images}) == 1
    # 3-4-6 and 4-4-5 have keys of their own, as have boards with as many vertices.
    assert malecon.Position("3-4-6").key() != malecon.Position("4-4-5").key()
    assert position.policy.shape == (44,) and 0 < position.value < 1
    assert "h8" in str(position) and "<svg" in position.svg(line="b2")
    for other in (position, position.to_string()):
        with pytest.raises(ValueError, match="on the board 4-4-5"):
            malecon.Session(side=5).set_position(other)
    for wrong in ("4-4", "4-4-14", "a"):
        with pytest.raises(ValueError, match="invalid board"):
            malecon.Position(wrong)
