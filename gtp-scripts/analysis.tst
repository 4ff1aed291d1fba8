# GoGui's analysis commands: what is offered, the pictures of a position with a win in one.

set_option gui gogui
set_option simulations 100
set_option analysis_playouts 200
set_option seed 1
boardsize 5
playgame A1 C3 A2 D4

10 gogui-analyze_commands
#? [gfx/(.|\n)*\nhstring/List of options/list_options]
11 analyze_threats
#? [COLOR #ffffff A3\nLABEL A3 B\nTEXT white wins on 1 vertex, black on no vertex]
211 analyze_frames
#? [(.|\n)*TEXT .*white to move, white wins by threats \(proven\)]
212 list_frames
#? [white bridge of width 1 with the first move: A3\n(.|\n)*]
12 analyze_distance
#? [(.|\n)*TEXT white is 1 stone away from a bridge or a fork]
13 analyze_distance b
#? [(.|\n)*TEXT black is \d stones away from a bridge or a fork if the opponent passes]
14 analyze_chains
#? [(.|\n)*LABEL A2 1\+1\nCIRCLE A1\nTEXT 2 chains.*]
15 analyze_verdicts
#? [(.|\n)*LABEL A3 W\nTEXT white wins: 1 of \d+ moves proven]
16 analyze_visits
#? [(.|\n)*CIRCLE A3\nTEXT white wins, .*]
17 analyze_pv
#? [VAR w A3\nTEXT white wins, .*]
18 analyze_rave
#? [TEXT no RAVE values: the network guides the search .*]
set_option method rave
118 analyze_rave
#? [COLOR(.|\n)*\nTEXT .*]
set_option method puct
19 analyze_ownership
#? [COLOR(.|\n)*\nTEXT 200 random playouts: white wins .* %, black .* %]
20 analyze_criticality
#? [COLOR(.|\n)*\nTEXT 200 random playouts: .*]
21 analyze_prediction
#? [COLOR(.|\n)*\nTEXT network: moves of white in percent \(from 1 %\), chance of winning [0-9]+ %]
22 analyze_distance green
#? [.*]*

# A search is shown while it is about the position on the board.
30 genmove w
#? [A3]
31 analyze_pv
#? [TEXT the game is over]
32 gogui-rules_board_gfx
#? [(.|\n)*CIRCLE A1 A2 A3\nTEXT white wins by bridge]
33 analyze_threats
#? [TEXT the game is over]
34 analyze_ownership
#? [TEXT the game is over]
undo 3
35 analyze_pv
#? [VAR w (.|\n)*TEXT white .*]
