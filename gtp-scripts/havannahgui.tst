# A session as HavannahGui, a descendant of early GoGui, sends it: colours in either case, comments, its vertex names.

10 protocol_version
#? [2]
11 name
#? [Malecon]
12 version
#? [\d+\.\d+\.\d+]
13 known_command genmove
#? [true]
14 known_command frisbee
#? [false]
boardsize 8
clear_board
komi 0
komi 6.5
time_settings 600 30 5
# a comment
play W h8
play b I9
play w h15
play B o15
20 history
#? [h8 i9 h15 o15]
set_option simulations 100
time_left white 600 0
21 genmove W
#? [[a-o]\d+]
time_left B 20 3
22 genmove black
#? [[a-o]\d+]
23 winrate
#? [[01]\.\d+]
24 pv
#? [[a-o]\d+( [a-o]\d+)*]
undo
undo
25 history
#? [h8 i9 h15 o15]
26 havannah_winner
#? [none]

# A finished game.
boardsize 3
playgame a1 c3 a2 d4 a3
30 genmove b
#? [none]
31 reg_genmove w
#? [none]
