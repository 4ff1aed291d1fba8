# Sessions as GoGui and gogui-twogtp send them: the diameter as size, upper case without I, black first, passes.

set_option gui gogui
1 gogui-rules_game_id
#? [Havannah]
2 gogui-rules_board_size
#? [15 hex]
3 gogui-rules_side_to_move
#? [white]
4 gogui-rules_final_result
#? []
10 boardsize 8
#? [.*]*
11 boardsize 27
#? [.*]*
boardsize 9
clear_board
komi 0
time_settings 300 0 0
play B E5
play W J9
12 history
#? [black:E5 J9]
13 play B I9
#? [.*]*
14 play W J9
#? [.*]*
set_option simulations 50
15 genmove b
#? [[A-HJ]\d]

# The end: gogui-twogtp wants two passes and a score.
boardsize 5
playgame black:A1 C3 A2 D4 A3
20 final_score
#? [B\+1]
26 gogui-rules_legal_moves
#? []
27 gogui-rules_final_result
#? [black wins by bridge]
21 genmove w
#? [pass]
play w pass
22 genmove b
#? [pass]
play b pass
23 final_score
#? [B\+1]
undo 3
24 history
#? [black:A1 C3 A2 D4]
25 play b pass
#? [.*]*

# The swap is a click on the stone; the click that is sent again is refused.
boardsize 9
set_option swap true
play w E5
29 gogui-rules_legal_moves
#? [.* E4 E6 .* J9 E5]
30 all_legal
#? [.* E4 E6 .* J9 E5]
31 play w E5
#? [.*]*
play b E5
32 play b E5
#? [.*]*
33 play w E5
#? [.*]*
34 history
#? [E5 swap]
35 all_legal
#? [.* E4 E6 .*]
