# Tactics: positions with a move that has to be found, on sides 4 to 10, each with 2,000 simulations. That takes a
# fraction of a second and, with one thread, finds the same on every machine.
#
# Cut from human games of Little Golem and from games between engines, and checked by longer searches: the moves that
# are proven to win are accepted, of defences those that are not proven to lose. The structure named ends the game.

set_option simulations 2000
set_option seed 1

# Win in one: a structure is completed by one stone.

# bridge, side 6: an engine game after 34 moves
boardsize 6
playgame k8 g6 i7 g5 j9 f4 j6 e4 j10 f6 e5 d4 k9 d5 e6 f7 j11 d6 e7 j5 i8 j7 i6 k7 i5 i4 h4 h3 g3 g2 f2 e1 k6 k11
10 reg_genmove white
#? [f1]

# bridge, side 7: Little Golem 1044478 after 22 moves
boardsize 7
playgame g3 h13 h2 e1 f1 k6 f3 d3 d2 c4 c2 c3 a1 d5 g1 f2 g2 e5 e4 e3 e2 m9
20 reg_genmove white
#? [b1|b2]

# bridge, side 8: Little Golem 1009693 after 58 moves
boardsize 8
playgame f10 h14 j13 h12 h11 i12 j12 i11 i9 h9 f6 f8 c7 e9 h10 i10 g9 g8 f9 g11 e8 e7 d6 d7 c6 d8 c8 d10 k11 b9 a8 b8 a7 b7 a6 b6 a5 b5 a4 e12 g12 g13 e11 d11 h13 f11 e10 d9 f12 f13 b3 b4 a3 d5 e6 d4 a1 a2
30 reg_genmove white
#? [b2]

# fork, side 4: Little Golem 1039663 after 23 moves
boardsize 4
playgame f6 e5 f5 e4 f4 e3 g4 g7 f7 d6 d7 e7 e2 f3 c6 c2 a1 d5 b5 a4 b4 b1 a2
40 reg_genmove black
#? [d2|d3]

# fork, side 5: an engine game after 18 moves
boardsize 5
playgame h6 g9 g7 i9 h9 e7 g4 g8 h8 f7 g6 f9 e8 i7 i6 c4 g5 h4
50 reg_genmove white
#? [g3]

# fork, side 6: Little Golem 1043752 after 28 moves
boardsize 6
playgame j7 b2 i5 g4 i8 i11 h9 j10 g10 g11 h11 b6 i4 b4 j6 b3 b5 a5 a4 a1 c5 f1 i7 d1 h8 i9 g9 j9
60 reg_genmove white
#? [k7|k8]

# ring, side 6: an engine game after 32 moves
boardsize 6
playgame j5 i7 i6 j7 h6 j9 j6 h7 h8 g6 g5 f5 f4 k7 h4 i4 k6 f1 e4 e5 b2 c3 c2 d3 d2 a1 a2 e3 f3 e2 g3 i5
70 reg_genmove white
#? [h5]

# ring, side 7: Little Golem 1044208 after 40 moves
boardsize 7
playgame g3 f2 f3 a7 e2 a4 a2 b2 b3 c3 h3 c4 a1 d1 e1 k6 d2 b1 i3 b4 b6 a5 a6 c6 c7 d8 d7 d6 e7 b5 d5 e6 g1 e5 d4 e4 d3 f7 f1 g2
80 reg_genmove white
#? [h2]

# ring, side 8: Little Golem 1009695 after 37 moves
boardsize 8
playgame f10 h14 j13 h12 h11 i12 j12 i11 h13 g12 g13 i13 i15 h15 i14 j14 f12 f11 e11 e10 d10 d9 c9 b7 b8 a7 c8 c7 d8 e9 d7 f8 g9 h10 g8 g10 g11
90 reg_genmove black
#? [f9]

# Block: the opponent would complete a structure on one vertex.

# bridge, side 4: Little Golem 1039663 after 19 moves
boardsize 4
playgame f6 e5 f5 e4 f4 e3 g4 g7 f7 d6 d7 e7 e2 f3 c6 c2 a1 d5 b5
100 reg_genmove black
#? [a4]

# bridge, side 5: Little Golem 1043751 after 30 moves
boardsize 5
playgame h6 b2 h5 h8 g7 g8 h4 f8 e8 e9 f9 e7 d7 c7 c6 b5 b6 a5 d5 c5 d6 a1 b3 c4 c3 a2 a3 d4 f6 c2
110 reg_genmove white
#? [d3]

# fork, side 6: Little Golem 1043990 after 30 moves
boardsize 6
playgame j7 b2 c6 e9 e6 h10 j10 j9 i9 k11 j11 g8 g7 h8 i8 a6 j6 j5 i5 i4 h4 h3 g3 g2 f3 k6 f1 f2 e2 e1
120 reg_genmove white
#? [k7]

# ring, side 5: an engine game after 12 moves
boardsize 5
playgame h6 g9 g7 i9 h9 e7 g4 g8 h8 f7 g6 f9
130 reg_genmove white
#? [e8]

# ring, side 6: an engine game after 24 moves
boardsize 6
playgame j5 i7 i6 h8 j7 g6 j8 f7 i8 i9 h7 h6 g7 g8 f6 g9 f5 h5 i5 k10 k7 k6 e4 i10
140 reg_genmove white
#? [h10]

# ring, side 7: Little Golem 1044208 after 36 moves
boardsize 7
playgame g3 f2 f3 a7 e2 a4 a2 b2 b3 c3 h3 c4 a1 d1 e1 k6 d2 b1 i3 b4 b6 a5 a6 c6 c7 d8 d7 d6 e7 b5 d5 e6 g1 e5 d4 e4
150 reg_genmove white
#? [d3]

# Win in three: a stone after which two vertices complete a structure.

# bridge, side 4: Little Golem 1039666 after 9 moves
boardsize 4
playgame f6 g4 f5 d1 e3 a1 f4 c2 f7
160 reg_genmove black
#? [b1|b2|c1|d2]

# bridge, side 7: Little Golem 1044478 after 20 moves
boardsize 7
playgame g3 h13 h2 e1 f1 k6 f3 d3 d2 c4 c2 c3 a1 d5 g1 f2 g2 e5 e4 e3
170 reg_genmove white
#? [e2]

# bridge, side 8: Little Golem 1009693 after 56 moves
boardsize 8
playgame f10 h14 j13 h12 h11 i12 j12 i11 i9 h9 f6 f8 c7 e9 h10 i10 g9 g8 f9 g11 e8 e7 d6 d7 c6 d8 c8 d10 k11 b9 a8 b8 a7 b7 a6 b6 a5 b5 a4 e12 g12 g13 e11 d11 h13 f11 e10 d9 f12 f13 b3 b4 a3 d5 e6 d4
180 reg_genmove white
#? [a1]

# fork, side 4: Little Golem 1039663 after 12 moves
boardsize 4
playgame f6 e5 f5 e4 f4 e3 g4 g7 f7 d6 d7 e7
190 reg_genmove white
#? [f3]

# ring, side 6: an engine game after 30 moves
boardsize 6
playgame j5 i7 i6 j7 h6 j9 j6 h7 h8 g6 g5 f5 f4 k7 h4 i4 k6 f1 e4 e5 b2 c3 c2 d3 d2 a1 a2 e3 f3 e2
200 reg_genmove white
#? [g3|i5]

# ring, side 7: Little Golem 1044208 after 38 moves
boardsize 7
playgame g3 f2 f3 a7 e2 a4 a2 b2 b3 c3 h3 c4 a1 d1 e1 k6 d2 b1 i3 b4 b6 a5 a6 c6 c7 d8 d7 d6 e7 b5 d5 e6 g1 e5 d4 e4 d3 f7
210 reg_genmove white
#? [f1]

# ring, side 8: Little Golem 1009695 after 35 moves
boardsize 8
playgame f10 h14 j13 h12 h11 i12 j12 i11 h13 g12 g13 i13 i15 h15 i14 j14 f12 f11 e11 e10 d10 d9 c9 b7 b8 a7 c8 c7 d8 e9 d7 f8 g9 h10 g8
220 reg_genmove black
#? [g10]

# Double threat: the opponent would win in three; only these moves keep the game open.

# side 5: an engine game after 16 moves
boardsize 5
playgame g9 e8 h8 f9 d6 f7 g6 d8 c6 f5 g5 f6 g4 f4 f2 g3
230 reg_genmove white
#? [f3]

# side 7: Little Golem 1056262 after 17 moves
boardsize 7
playgame d4 l7 d3 m7 c4 k7 e5 m8 c5 m9 l9 j7 b3 i7 f4 g2 d5
240 reg_genmove black
#? [c3|e4]

# side 8: Little Golem 1012484 after 39 moves
boardsize 8
playgame d3 g3 d8 l12 c8 d6 c4 c6 b6 b5 a5 b4 e7 e6 f7 f6 g7 g6 h7 h5 i6 h2 i2 j4 i5 i3 k4 b3 k5 j3 j5 h1 a1 c2 i7 d2 d7 e3 b7
250 reg_genmove black
#? [c9]

# Win in five stones of both.

# bridge, side 7: Little Golem 1152281 after 26 moves
boardsize 7
playgame g7 f10 g11 g10 h11 h10 i11 f8 f11 g8 j11 i10 m13 j10 g13 h8 f9 f12 g12 g9 i9 l12 l13 k12 k13 j12
260 reg_genmove white
#? [j13]

# fork, side 6: Little Golem 1049956 after 24 moves
boardsize 6
playgame i5 e3 g3 g4 h4 f3 f1 f2 g2 k6 e1 j6 d1 i6 c2 d2 c1 b2 c3 b3 c4 b4 c5 b5
270 reg_genmove white
#? [a1|c6|d7]

# fork, side 8: Little Golem 1012484 after 38 moves
boardsize 8
playgame d3 g3 d8 l12 c8 d6 c4 c6 b6 b5 a5 b4 e7 e6 f7 f6 g7 g6 h7 h5 i6 h2 i2 j4 i5 i3 k4 b3 k5 j3 j5 h1 a1 c2 i7 d2 d7 e3
280 reg_genmove white
#? [b8|b9|c9]

# fork, side 9: Little Golem 1055861 after 36 moves
boardsize 9
playgame i2 i1 i3 q9 o10 j2 k4 q10 n10 q11 p12 q12 q13 h1 g2 h2 h3 p11 o11 l4 m7 l5 k6 o9 m8 k5 i5 n6 k3 n9 m9 l6 l7 j3 j4 j5
290 reg_genmove white
#? [j6]

# ring, side 6: Little Golem 1046069 after 38 moves
boardsize 6
playgame g6 e8 e7 d7 f8 f9 g8 d6 e6 g7 h8 h7 f6 d5 e5 d4 h6 i7 i8 e4 i6 j8 j9 c3 k9 k8 j10 i10 j6 j11 k11 k6 j5 g9 i4 h4 h3 g2
300 reg_genmove white
#? [g3|h9|h10]

# ring, side 8: Little Golem 1012482 after 33 moves
boardsize 8
playgame l6 n9 j5 o8 h4 m10 f3 o15 m12 l11 l12 n12 n13 k11 k12 j11 j12 i11 i12 h11 h12 o13 o14 j9 k9 h8 g12 g9 m14 n14 m13 k10 e4
310 reg_genmove black
#? [i9|i10]

# ring, side 10: Little Golem 1104495 after 32 moves
boardsize 10
playgame r18 g4 r17 l9 q18 h10 q15 o12 p13 p16 p12 g3 p11 j14 p10 q16 r16 p9 q10 p14 q14 q9 r10 r9 s10 s19 s12 r12 s13 r13 s14 r14
320 reg_genmove white
#? [s15]

# Longer forced wins.

# bridge, side 4: Little Golem 1040506 after 20 moves
boardsize 4
playgame g4 f5 d1 f3 f4 e3 e4 d3 e5 f6 g6 e6 g5 g7 d7 d6 d5 c5 a4 c4
330 reg_genmove white
#? [a1]

# bridge, side 5: an engine game after 14 moves
boardsize 5
playgame f7 d5 d6 c5 e8 c6 h8 b4 g9 b3 f8 c3 d4 i8
340 reg_genmove white
#? [d7|g6|h7|h9]

# bridge, side 6: an engine game after 28 moves
boardsize 6
playgame k8 g6 i7 g5 j9 f4 j6 e4 j10 f6 e5 d4 k9 d5 e6 f7 j11 d6 e7 j5 i8 j7 i6 k7 i5 i4 h4 h3
350 reg_genmove white
#? [f3|g3|k6]

# fork, side 4: Little Golem 1039664 after 6 moves
boardsize 4
playgame f4 g4 g5 g7 f3 d7
360 reg_genmove white
#? [c1|e6]

# fork, side 5: an engine game after 13 moves
boardsize 5
playgame h6 g9 i9 h7 g6 g7 i7 i8 f6 f7 e6 e7 d8
370 reg_genmove black
#? [c6|d6]

# fork, side 6: an engine game after 24 moves
boardsize 6
playgame j5 i7 i6 j7 h6 j9 j6 h7 h8 g6 g5 f5 f4 k7 h4 i4 k6 f1 e4 e5 b2 c3 c2 d3
380 reg_genmove white
#? [d2|f3|i5]

# ring, side 8: Little Golem 1012484 after 37 moves
boardsize 8
playgame d3 g3 d8 l12 c8 d6 c4 c6 b6 b5 a5 b4 e7 e6 f7 f6 g7 g6 h7 h5 i6 h2 i2 j4 i5 i3 k4 b3 k5 j3 j5 h1 a1 c2 i7 d2 d7
390 reg_genmove black
#? [c3]

# ring, side 10: Little Golem 1016057 after 24 moves
boardsize 10
playgame o16 a1 d9 j1 e4 h3 d3 i2 e7 g4 d7 g5 d5 h5 c8 i5 e6 j5 c4 k5 j3 l5 c7 d10
400 reg_genmove white
#? [b5|c5|e5|e8]

# Intrusions: the opponent's last stone stands between two stones that a two-bridge joins, or between a stone and
# its side; the answer is the other vertex.

# side, side 4: Little Golem 1039663 after 13 moves
boardsize 4
playgame f6 e5 f5 e4 f4 e3 g4 g7 f7 d6 d7 e7 e2
410 reg_genmove black
#? [f3]

# side, side 5: an engine game after 17 moves
boardsize 5
playgame i7 f4 i5 h8 i9 i8 e1 f3 g5 g8 g4 f8 d8 e7 f5 c6 g3
420 reg_genmove black
#? [f2]

# side, side 6: an engine game after 21 moves
boardsize 6
playgame k8 g6 i6 i7 j7 f4 h6 h7 g5 g4 f5 d3 i5 e4 e5 g3 e2 b2 j5 a2 g2
430 reg_genmove black
#? [h3]

# two-bridge, side 4: Little Golem 1045482 after 14 moves
boardsize 4
playgame a1 d1 b3 a4 c5 d7 e6 c6 b5 g4 e3 f3 e2 b2
440 reg_genmove white
#? [a2]

# two-bridge, side 5: an engine game after 8 moves
boardsize 5
playgame h6 g9 g7 i9 h9 e7 g4 g8
450 reg_genmove white
#? [h8]

# two-bridge, side 6: Little Golem 1049956 after 16 moves
boardsize 6
playgame i5 e3 g3 g4 h4 f3 f1 f2 g2 k6 e1 j6 d1 i6 c2 d2
460 reg_genmove white
#? [c1]

# two-bridge, side 6: Little Golem 1048007 after 22 moves
boardsize 6
playgame j6 f3 c3 g5 i7 f4 h8 h5 j5 g3 h4 e4 h9 e2 i10 d2 d3 h3 b1 i5 i4 j7
470 reg_genmove white
#? [i6]

# two-bridge, side 7: Little Golem 1152114 after 30 moves
boardsize 7
playgame e1 f3 f2 g3 g2 h3 d2 h2 g1 a1 e4 f4 f5 g5 h5 h6 d6 d4 e6 c3 c7 i7 b7 j4 j6 i3 a7 g7 d7 i5
480 reg_genmove white
#? [i6]

# two-bridge, side 9: Little Golem 1055861 after 34 moves
boardsize 9
playgame i2 i1 i3 q9 o10 j2 k4 q10 n10 q11 p12 q12 q13 h1 g2 h2 h3 p11 o11 l4 m7 l5 k6 o9 m8 k5 i5 n6 k3 n9 m9 l6 l7 j3
490 reg_genmove white
#? [j4]

# two-bridge, side 9: Little Golem 1066765 after 44 moves
boardsize 9
playgame i9 j3 d4 i4 n9 h5 e6 d5 e5 c3 d3 c2 c4 o15 m10 d2 f3 e3 f4 a2 e11 b3 d9 f5 e4 f2 e2 e1 d1 b4 c5 d6 e7 b5 c6 d7 c7 b7 b6 a6 a5 d8 c8 d10
500 reg_genmove white
#? [e10]

# two-bridge, side 10: Little Golem 1035600 after 93 moves
boardsize 10
playgame j5 e4 p10 m10 o9 l7 m7 l6 o12 l8 m11 p15 n10 o15 q13 q16 r12 q11 r11 q10 r10 l5 q8 p8 p7 o7 p11 n9 n8 l9 n6 n17 o6 q12 r13 p12 p13 o11 n11 o10 k12 k15 k10 l16 m13 n16 k11 n13 m12 l10 l11 l13 j13 m17 l14 m15 l15 n15 m14 k13 k14 j12 i14 p17 o17 o18 p18 j16 h12 j17 h10 h11 i12 i11 j14 h13 h14 l18 m18 l17 k18 j15 k17 m19 n19 i18 g13 g12 q9 q17 o16 p9 m8
510 reg_genmove black
#? [m9]
