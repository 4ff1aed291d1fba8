# The pie rule: as the second move, and only when it is switched on, the first stone may change its colour.

boardsize 4
play white d4
10 play black swap
#? [.*]*
11 all_legal
#? [[a-g1-7 ]*]
set_option swap true
12 all_legal
#? [.* swap]
play black swap
13 history
#? [d4 swap]
14 all_legal
#? [[a-g1-7 ]*]
15 play white d4
#? [.*]*
play white a1
play black e4
16 history
#? [d4 swap a1 e4]

# It can be taken back, and again be used.
undo 3
17 all_legal
#? [.* swap]
swap
18 history
#? [d4 swap]

# Not for the player of the first stone, not twice, not later, not at the start.
undo
20 play white swap
#? [.*]*
21 history
#? [d4]
play black swap
22 play white swap
#? [.*]*
undo 2
23 swap
#? [.*]*
playgame d4 e4
24 swap
#? [.*]*
25 history
#? [d4 e4]

# After a swap the colours alternate from white on, and the first stone counts for black.
boardsize 2
playgame b1 swap
playgame b2 b3
30 havannah_winner
#? [none]
boardsize 3
playgame a1 swap c3 a2 d4
31 havannah_winner
#? [none]
play black a3
32 havannah_winner
#? [black]

# Switched off again.
set_option swap false
clear_board
play white d4
40 swap
#? [.*]*
