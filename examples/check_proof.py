"""Checks a proof of who wins a position of Havannah: `python examples/check_proof.py docs/proofs/side-4-a1.proof`

Malecon has a checker of its own, `malecon solve check`, which is forty times as fast. This one shares nothing with it
but docs/proof-format.md, from which it is written. It needs Python 3.10, and also reads files that end in `.xz`.
"""

import functools
import lzma
import sys

LANE = 20  # bytes for the number of a position in base 3, one digit a vertex


class Refuted(Exception):
    """The file is not a proof."""


def require(holds, reason):
    if not holds:
        raise Refuted(reason)


class Board:
    """Sets of vertices are integers, with one bit a cell of a rectangle that has a frame around the board."""

    def __init__(self, a, b, c):
        letters, numbers = b + c - 1, a + c - 1
        points = [(l, n) for l in range(letters) for n in range(numbers) if l - n < b and n - l < a]
        self.width = numbers + 2
        self.bits = [1 << (l + 1) * self.width + n + 1 for l, n in points]
        self.number_of = {bit: number for number, bit in enumerate(self.bits)}
        self.vertices = sum(self.bits)
        self.frame = (1 << (letters + 2) * self.width) - 1 & ~self.vertices
        lines = [{p for p in points if is_on(*p)} for is_on in (
            lambda l, n: l == 0, lambda l, n: n == 0, lambda l, n: l - n == b - 1,
            lambda l, n: l == letters - 1, lambda l, n: n == numbers - 1, lambda l, n: n - l == a - 1)]
        is_corner = lambda p: sum(p in line for line in lines) == 2
        bit = dict(zip(points, self.bits))
        self.corners = [bit[p] for p in points if is_corner(p)]
        self.sides = [sum(bit[p] for p in line if not is_corner(p)) for line in lines]
        # A turn by a sixth and a reflection make all symmetries; coordinates are doubled and counted from the middle.
        maps, images = [], [[(2 * l - letters + 1, 2 * n - numbers + 1) for l, n in points]]
        for _ in range(6):
            images.append([(l - n, l) for l, n in images[-1]])
        for image in images[1:] + [[(n, l) for l, n in image] for image in images[1:]]:
            if set(image) == set(images[0]):
                maps.append([images[0].index(point) for point in image])
        # What a stone adds to the numbers of all images of a position, side by side.
        self.stone = [[sum(digit * 3 ** map[v] << 8 * LANE * k for k, map in enumerate(maps)) for v in range(len(points))]
                      for digit in (1, 2)]
        self.images = len(maps)

    def key(self, numbers):
        """The least number of all images."""
        lanes = numbers.to_bytes(LANE * self.images, "big")
        return min(lanes[i:i + LANE] for i in range(0, len(lanes), LANE))

    def around(self, cells):
        """For each direction, the cells whose neighbour in that direction is in the set."""
        w = self.width
        return cells >> 1, cells << 1, cells >> w, cells << w, cells >> w + 1, cells << w + 1

    def grown(self, cells):
        one, two, three, four, five, six = self.around(cells)
        return cells | one | two | three | four | five | six

    def connected(self, seeds, within):
        found, more = 0, seeds
        while found != more:
            found, more = more, self.grown(more) & within
        return found

    def is_ring(self, stones):
        """Whether connected stones enclose a vertex: one that is not theirs, or one of their own."""
        outside = self.connected(self.frame, self.frame | self.vertices & ~stones)
        enclosed = self.vertices & ~outside & ~stones
        return bool(enclosed) or bool(functools.reduce(int.__and__, self.around(stones), stones))

    @functools.lru_cache(1 << 20)
    def completing(self, stones):
        """The vertices on which another stone completes a structure. `stones` of one player have none."""
        corners, sides, found, left = list(self.corners), list(self.sides), 0, stones
        while left:
            chain = self.connected(left & -left, stones)
            left &= ~chain
            near = self.grown(chain)
            corners = [near | reach if chain & corner else reach for corner, reach in zip(self.corners, corners)]
            sides = [near | reach if chain & side else reach for side, reach in zip(self.sides, sides)]
            once = twice = 0
            for neighbours in self.around(chain):
                once, twice = once | neighbours, twice | once & neighbours
            found |= sum(v for v in self.each(twice & ~stones & self.vertices) if self.is_ring(chain | v))
        once = twice = 0
        for reach in corners:
            once, twice = once | reach, twice | once & reach
        found |= twice
        once = twice = 0
        for reach in sides:
            found |= twice & reach
            once, twice = once | reach, twice | once & reach
        return found & self.vertices & ~stones

    @staticmethod
    def each(cells):
        """The vertices of a set, in the order of their numbers."""
        while cells:
            yield cells & -cells
            cells &= cells - 1


class Checker:
    def __init__(self, board, moves):
        self.board, self.moves, self.met = board, moves, (set(), set())

    def root(self, stones, numbers, to_move, winner):
        self.winner = winner
        own, other = stones[winner], stones[1 - winner]
        empty = self.board.vertices & ~own & ~other
        if self.board.completing(stones[to_move]) & empty:
            require(to_move == winner, "the loser completes a structure")
        elif to_move == winner:
            self.winner_to_move(own, other, numbers)
        else:
            self.loser_to_move(own, other, numbers)

    def winner_to_move(self, own, other, numbers):
        board = self.board
        key = board.key(numbers)
        if key in self.met[self.winner]:
            return
        empty = board.vertices & ~own & ~other
        threats = board.completing(other) & empty
        require(threats.bit_count() < 2, "the loser has two completing vertices")
        if threats:
            self.after(own, other, numbers, threats)
        elif not any((board.completing(own | v) & empty & ~v).bit_count() > 1 for v in board.each(empty)):
            number = next(self.moves, len(board.bits))
            require(number < len(board.bits) and board.bits[number] & empty, f"{number} is no empty vertex")
            self.after(own, other, numbers, board.bits[number])
        self.met[self.winner].add(key)

    def after(self, own, other, numbers, v):
        self.loser_to_move(own | v, other, numbers + self.board.stone[self.winner][self.board.number_of[v]])

    def loser_to_move(self, own, other, numbers):
        board = self.board
        empty = board.vertices & ~own & ~other
        threats = board.completing(own) & empty
        if threats.bit_count() > 1:
            return
        require(empty, "the board is full")
        for v in board.each(threats or empty):
            self.winner_to_move(own, other | v, numbers + board.stone[1 - self.winner][board.number_of[v]])


def check(data):
    """Raises Refuted if the bytes of a file are not a proof. Returns how many roots they prove."""
    total = 0xCBF29CE484222325
    for byte in data[:-8]:
        total = (total ^ byte) * 0x100000001B3 % 2**64
    require(len(data) > 22 and data[:8] == b"mlcproof" and data[8] == 3, "not a proof of version 3")
    require(total == int.from_bytes(data[-8:], "little"), "the checksum is wrong")
    lengths = data[9:12]
    a, b, c = lengths
    vertices = a * b + b * c + c * a - a - b - c + 1
    require(2 <= a <= b <= c <= 13 and vertices <= 91, "invalid side lengths")
    board = Board(a, b, c)
    rest = iter(data[14:-8])
    roots = []
    for _ in range(int.from_bytes(data[12:14], "little")):
        who, count = next(rest, 4), next(rest, 255)
        codes = [next(rest, 255) for _ in range(count)]
        require(who < 4 and codes == sorted(codes) and all(code >> 1 < vertices for code in codes), "invalid root")
        require(len({code >> 1 for code in codes}) == len(codes), "invalid root")
        stones, numbers = [0, 0], 0
        for code in codes:
            v, color = board.bits[code >> 1], code & 1
            require(not board.completing(stones[color]) & v, "the game is over in a root")
            stones[color] |= v
            numbers += board.stone[color][code >> 1]
        roots.append((stones, numbers, who >> 1, who & 1))
    require(1 <= len(roots) <= 10_000, "invalid number of roots")
    checker = Checker(board, rest)
    for root in roots:
        checker.root(*root)
    require(next(rest, None) is None, "the file goes on after the proof")
    return len(roots)


if __name__ == "__main__":
    failed = False
    for name in sys.argv[1:]:
        with (lzma.open if name.endswith(".xz") else open)(name, "rb") as file:
            try:
                print(f"{name}: proven, positions: {check(file.read())}")
            except Refuted as reason:
                print(f"{name}: refused: {reason}")
                failed = True
    sys.exit(failed)
