# The rules of Havannah: structures, the end of the game, taking back, turns.

set_option simulations 100

# A bridge: two corners.
boardsize 3
playgame a1 c3 a2 d4
10 havannah_winner
#? [none]
play white a3
11 havannah_winner
#? [white]
12 final_score
#? [W\+1]
13 all_legal
#? []
14 genmove black
#? [none]
15 play black b2
#? [.*]*

# Taking back goes through the end of the game, one move or several.
undo
20 havannah_winner
#? [none]
21 history
#? [a1 c3 a2 d4]
22 all_legal
#? [a3 b1 b2 b3 b4 c1 c2 c4 c5 d2 d3 d5 e3 e4 e5]
undo 3
23 history
#? [a1]
24 undo 2
#? [.*]*
25 history
#? [a1]
undo
26 undo
#? [.*]*
27 undo 0
#? [.*]*

# On side 2 every vertex but the middle is a corner.
boardsize 2
playgame b2 a1 b1 a2
30 havannah_winner
#? [black]
31 final_score
#? [B\+1]

# A fork: three sides. Corners belong to no side.
boardsize 3
playgame d4 c2 e4 b1 d5 a1 d3 e3 b4 a2
40 havannah_winner
#? [none]
play white c5
41 havannah_winner
#? [white]
boardsize 4
playgame b1 d4 b2 d5 b3 d6 b4 e4
42 havannah_winner
#? [none]
playgame b5 e5
43 havannah_winner
#? [none]
play white a2
44 havannah_winner
#? [white]

# A ring around an empty vertex, around the opponent's stone, around an own stone.
boardsize 4
playgame c3 g4 d3 g5 e4 g6 e5 f6 d5
50 havannah_winner
#? [none]
playgame a1 c4
51 havannah_winner
#? [white]
undo 2
playgame d4 c4
52 havannah_winner
#? [white]
undo 2
playgame white:d4 a1 c4
53 havannah_winner
#? [white]
54 play black f3
#? [.*]*

# A ring around an own stone from the start: the last stone of a filled hexagon.
boardsize 4
playgame d4 a1 c3 a3 d3 c1 e4 e2 e5 g5 d5 g6
60 havannah_winner
#? [none]
play white c4
61 havannah_winner
#? [white]

# A full board without a structure is a draw.
boardsize 4
playgame f3 e7 g5 c1 d6 d4 d7 c4 d1 b1 b3 g4 d5 e4 b2 a1 c2 c3 f6 b4 c5 d3 g6 a3 a4 e5 d2 b5 e6 c6 a2 g7 e2 f4 f7 f5
70 havannah_winner
#? [none]
71 all_legal
#? [e3]
72 genmove white
#? [e3]
73 havannah_winner
#? [draw]
74 final_score
#? [0]
75 genmove black
#? [none]

# White moves first, but any colour may move at any time.
boardsize 4
play black d4
play black e4
play white c4
80 history
#? [black:d4 black:e4 c4]
81 reg_genmove white
#? [[a-g][1-7]]
82 history
#? [black:d4 black:e4 c4]
83 genmove white
#? [[a-g][1-7]]
undo
84 history
#? [black:d4 black:e4 c4]

# Resigning ends the game, and can be taken back.
boardsize 4
playgame d4 e4
play white resign
90 havannah_winner
#? [black]
91 play black a1
#? [.*]*
92 all_legal
#? []
undo
93 havannah_winner
#? [none]
