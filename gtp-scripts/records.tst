# Records of games.

loadsgf ../tests/data/records/swapped.hgf
10 history
#? [d1 swap d7 a2 g7 e7 d6 e6 a4 b5 b4 c5 d5 c4 g4 b3 g5 g6 e5 f5 f6]
11 havannah_winner
#? [white]
loadsgf ../tests/data/records/swapped.hgf 4
12 history
#? [d1 swap d7]
loadsgf ../tests/data/records/resigned.hgf
14 havannah_winner
#? [black]
undo
15 havannah_winner
#? [none]

# Variations stay when the game is written again.
loadsgf ../tests/data/records/variations.sgf
20 history
#? [d4 c4 d5 c5 d6]
21 printsgf
#? [[\s\S]*\(;B\[swap\];W\[e5\]\)\)]

# What cannot be loaded changes nothing.
22 loadsgf ../tests/data/records/missing.sgf
#? [.*]*
23 history
#? [d4 c4 d5 c5 d6]
