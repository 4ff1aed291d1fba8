# Little Golem's vertex names: the numbers of each letter's line start at 1.

boardsize 8
play w i9
play b o15
play w o8
set_option gui littlegolem
10 history
#? [i8 o8 o1]
11 play b o9
#? [.*]*
12 play b I8
#? [.*]*
play b H15
set_option gui havannahgui
13 history
#? [i9 o15 o8 h15]
set_option gui littlegolem

boardsize 3
playgame a1 c1 a2 d1 a3
20 havannah_winner
#? [white]
21 genmove b
#? [none]
