# Everything that is refused, and that it changes nothing. An expected failure (*) is a refusal here.

boardsize 4
playgame d4 e4

# Commands.
10 genmov white
#? [.*]*
11 GENMOVE white
#? [.*]*
13 frisbee 1 2 3
#? [.*]*
14 help frisbee
#? [.*]*

# Too few and too many arguments.
20 play
#? [.*]*
21 play white
#? [.*]*
22 play white a1 a2
#? [.*]*
23 genmove
#? [.*]*
24 reg_genmove white black
#? [.*]*
25 boardsize
#? [.*]*
26 boardsize 4 4
#? [.*]*
27 name 1
#? [.*]*
28 playgame
#? [.*]*
29 set_option swap
#? [.*]*
30 undo 1 1
#? [.*]*
31 time_settings 1 1
#? [.*]*
32 time_left white 1
#? [.*]*

# Colours.
40 play green a1
#? [.*]*
41 genmove g
#? [.*]*
42 reg_genmove whit
#? [.*]*
43 time_left x 1 1
#? [.*]*
44 playgame green:a1
#? [.*]*

# Vertices.
50 play white h9
#? [.*]*
51 play white a0
#? [.*]*
52 play white a5
#? [.*]*
53 play white 4d
#? [.*]*
54 play white d
#? [.*]*
55 play white d4
#? [.*]*
56 play black e4
#? [.*]*
57 play white pass
#? [.*]*
58 play white none
#? [.*]*
59 playgame a1 a2 a3 d4
#? [.*]*

# Numbers.
60 boardsize four
#? [.*]*
61 boardsize 1
#? [.*]*
62 boardsize 14
#? [.*]*
63 boardsize -4
#? [.*]*
64 boardsize 4.5
#? [.*]*
65 boardsize 99999999999999999999999
#? [.*]*
66 komi six
#? [.*]*
67 komi nan
#? [.*]*
68 undo one
#? [.*]*
69 undo 3
#? [.*]*
70 time_settings a 1 1
#? [.*]*
71 time_settings -1 1 1
#? [.*]*
72 time_settings 1 1 1.5
#? [.*]*
73 time_left white inf 0
#? [.*]*

# Options.
80 set_option frisbee 1
#? [.*]*
81 set_option swap perhaps
#? [.*]*
82 set_option seconds -1
#? [.*]*
83 set_option threads 0
#? [.*]*

# Nothing to tell yet.
90 final_score
#? [.*]*
91 winrate
#? [.*]*
92 pv
#? [.*]*
93 swap
#? [.*]*

# And nothing has changed.
100 history
#? [d4 e4]
101 all_legal
#? [a1 .* g7]
102 havannah_winner
#? [none]

# After the end.
playgame a1 e5 a2 f5 a3 f6 a4
110 havannah_winner
#? [white]
111 play black g7
#? [.*]*
112 play white g7
#? [.*]*
113 play white resign
#? [.*]*
114 play white pass
#? [.*]*
115 swap
#? [.*]*
116 history
#? [d4 e4 a1 e5 a2 f5 a3 f6 a4]
