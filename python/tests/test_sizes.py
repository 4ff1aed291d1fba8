"""Arguments may be large: the memory that a call takes grows in proportion to them."""

import subprocess
import sys

import pytest

MEASURE = """
import malecon
position = malecon.Position(5, moves="e5 d4")
size = int({size})
argument = {argument}

def peak():
    # That of getrusage would begin with the peak of the program that started this one.
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))

before = peak()
try:
    {call}
except ValueError:
    pass
print(len(argument), peak() - before)
"""

RECORD = '"(;FF[4]SZ[5];W[a1]" + "(;B[b2]C[a comment];W[c3];B[d4]LB[a1:x])" * (size // 40) + ")"'


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak as on Linux")
@pytest.mark.parametrize(
    ("call", "argument", "factor"),
    [
        ("malecon.Position.from_sgf(argument)", RECORD, 150),
        ("malecon.Session(side=5, memory=16).load(argument)", RECORD, 150),
        ("malecon.Position(5, moves=argument)", '"a1 b2 " * (size // 6)', 40),
        ("malecon.Position(5, moves=argument)", '["a1", "b2"] * (size // 2)', 40),
        ("malecon.Position.from_string(argument)", '"4/5/6/7/6/5/4 w " * (size // 16)', 20),
        # Numbers as they are returned: those of a position have 23 kB.
        ("malecon.features(argument)", "[position] * (size // 1000)", 30_000),
        ("malecon.evaluate(argument)", "[position] * (size // 1000)", 30_000),
    ],
)
def test_memory_grows_in_proportion(call: str, argument: str, factor: int) -> None:
    for size in (4_000, 40_000, 400_000, 4_000_000):
        script = MEASURE.format(size=size, argument=argument, call=call)
        output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        length, memory = map(int, output.split())
        assert memory < (40 << 20) + factor * length, f"{call}, {length}: {memory >> 20} MB"
