# A session as early GoGui sends it, and HavannahGui after it: start, a game with both colours, taking back, a program
# that is asked for its options, the end, a new game. Once in each dialect.

# HavannahGui: sides, and the letter i.
set_option gui havannahgui
set_option simulations 60
10 protocol_version
#? [2]
11 name
#? [Malecon]
12 version
#? [\d+\.\d+\.\d+]
13 list_commands
#? [protocol_version\n(.|\n)*\ngenmove\n(.|\n)*]
boardsize 5
clear_board
komi 6.5
time_settings 1800 60 10
play W E5
14 genmove b
#? [[a-i][1-9]]
undo
undo
15 history
#? []
play W i9
play B A1
16 genmove w
#? [[a-i][1-9]]
17 play W j9
#? [.*]*
18 play B I9
#? [.*]*
time_left b 1700 0
clear_board
playgame a1 e5 a2 e6 a3 e7 a4 e8 a5
20 havannah_winner
#? [white]
21 genmove b
#? [none]
22 final_score
#? [W\+1]
undo
23 genmove b
#? [[a-i][1-9]]

# GoGui: diameters, no letter I, black may begin, passes and a score at the end.
set_option gui gogui
30 protocol_version
#? [2]
31 gogui-title
#? [Malecon: Havannah on side 5]
32 cputime
#? [\d+\.\d+]
33 gogui-interrupt
#? []
boardsize 9
clear_board
komi 6.5
time_settings 1800 60 10
play B E5
34 genmove w
#? [[A-HJ][1-9]]
undo
undo
35 gogui-rules_side_to_move
#? [white]
play W J9
play B A1
36 genmove w
#? [[A-HJ][1-9]]
37 play W I9
#? [.*]*
clear_board
playgame A1 E5 A2 E6 A3 E7 A4 E8 A5
40 gogui-rules_legal_moves
#? []
41 gogui-rules_final_result
#? [white wins by bridge]
42 gogui-rules_board_gfx
#? [COLOR(.|\n)*\nCIRCLE A1 A2 A3 A4 A5\nTEXT white wins by bridge]
43 genmove b
#? [pass]
play b pass
44 final_score
#? [W\+1]

# Little Golem: sides, and lines that start at 1.
set_option gui littlegolem
boardsize 5
clear_board
komi 6.5
play W i5
50 history
#? [i5]
51 play B i6
#? [.*]*
52 genmove b
#? [[a-i][1-9]]
undo
undo
clear_board
playgame e1 e5 f1 e6 g1 e7 h1 e8 i1
60 havannah_winner
#? [white]
61 genmove b
#? [none]
62 final_score
#? [W\+1]
