//! The engine's board against the oracle: geometry, online and offline recognition of structures, and games in
//! progress.

use crate::oracle::havannah::{Figure, Havannah, Point, distance};
use crate::oracle::point_set::PointSet;
use malecon::game::{
    Color, Game, Geometry, MAX_SIDE, MIN_SIDE, Move, Notation, Outcome, PlayError, Position, RingFinder, Structures,
    UndoError, Vertex,
};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The same board in the engine and in the oracle.
struct Board {
    engine: &'static Geometry,
    oracle: Havannah,
    /// For each vertex, the index of its point.
    points: Vec<usize>,
    /// For each point, its vertex.
    vertices: Vec<Vertex>,
}

impl Board {
    fn of(side: usize) -> Board {
        let engine = Geometry::with_side(side).unwrap();
        let oracle = Havannah::new(side);
        let point_of = |v| oracle.parse(&Notation::HavannahGui.name(engine, v)).expect("the oracle knows the name");
        let points: Vec<usize> = engine.vertices().map(point_of).collect();
        let vertex_of = |p| engine.vertices().find(|v| points[v.index()] == p).expect("every point is a vertex");
        let vertices = (0..oracle.points().len()).map(vertex_of).collect();
        Board { engine, oracle, points, vertices }
    }

    fn all() -> impl Iterator<Item = Board> {
        (MIN_SIDE..=MAX_SIDE).map(Board::of)
    }

    fn point(&self, v: Vertex) -> usize {
        self.points[v.index()]
    }

    fn points_of(&self, vertices: impl IntoIterator<Item = Vertex>) -> PointSet {
        vertices.into_iter().map(|v| self.point(v)).collect()
    }

    fn points_where(&self, holds: impl Fn(Vertex) -> bool) -> PointSet {
        self.points_of(self.engine.vertices().filter(|&v| holds(v)))
    }

    fn coordinates(&self, v: Vertex) -> Point {
        self.oracle.points()[self.point(v)]
    }

    /// The oracle's figures in a position, as structures of the engine.
    fn structures(&self, position: PointSet) -> Structures {
        structures(&self.oracle.figures(position))
    }
}

fn structures(figures: &[Figure]) -> Structures {
    let structure = |figure: &Figure| match figure {
        Figure::Bridge => Structures::BRIDGE,
        Figure::Fork => Structures::FORK,
        Figure::Ring => Structures::RING,
    };
    figures.iter().map(structure).fold(Structures::NONE, |all, structure| all | structure)
}

/// How the moves of a random game are chosen.
#[derive(Clone, Copy, Debug)]
enum Style {
    /// Every vertex is equally likely.
    Uniform,
    /// Most stones are placed next to one of the same colour. This makes rings.
    Clustered,
    /// As `Uniform`, but the players avoid completing a structure. This makes draws.
    Peaceful,
}

impl Style {
    const ALL: [Style; 3] = [Style::Uniform, Style::Clustered, Style::Peaceful];
}

/// All vertices of the board, in the order in which the players take them.
fn random_order(board: &Board, style: Style, rng: &mut Xoshiro256PlusPlus) -> Vec<Vertex> {
    let mut empty: Vec<Vertex> = board.engine.vertices().collect();
    empty.shuffle(rng);
    let mut order: Vec<Vertex> = Vec::new();
    while let Some(&any) = empty.last() {
        let own: Vec<Vertex> = order.iter().copied().skip(order.len() % 2).step_by(2).collect();
        let adjacent: Vec<Vertex> = match style {
            Style::Clustered if !own.is_empty() && rng.random_bool(0.9) => {
                // Next to one of the last few stones, so that the clusters spread across the board.
                let stone = own[rng.random_range(own.len().saturating_sub(8)..own.len())];
                board.engine.neighbours(stone).iter().copied().filter(|v| empty.contains(v)).collect()
            }
            _ => Vec::new(),
        };
        let v = adjacent.choose(rng).copied().unwrap_or(any);
        empty.retain(|&w| w != v);
        order.push(v);
    }
    order
}

/// The number of games to play on a board: fewer where games are longer.
fn games_on(side: usize) -> usize {
    match side {
        2..=4 => 200,
        5..=7 => 60,
        8..=10 => 20,
        _ => 8,
    }
}

#[test]
fn vertices_neighbours_and_distances_are_those_of_the_definitions() {
    for board in Board::all() {
        assert_eq!(board.engine.vertex_count(), board.oracle.points().len());
        assert_eq!(board.engine.side(), board.oracle.size());
        for v in board.engine.vertices() {
            let neighbours = board.points_of(board.engine.neighbours(v).iter().copied());
            assert_eq!(neighbours, board.oracle.adjacency().neighbours_of(board.point(v)));
            let (x, y, z) = board.coordinates(v);
            assert_eq!((board.engine.cube(v), board.engine.vertex_at_cube([x, y, z])), ([x, y, z], Some(v)));
            for w in board.engine.vertices() {
                let expected = distance(board.coordinates(v), board.coordinates(w));
                assert_eq!(board.engine.distance(v, w), expected as usize);
            }
        }
    }
}

#[test]
fn corners_and_sides_are_those_of_the_definitions() {
    for board in Board::all() {
        assert_eq!(board.points_where(|v| board.engine.is_corner(v)), board.oracle.corner_points());
        assert_eq!(board.points_where(|v| board.engine.is_side(v)), board.oracle.side_points());
        let with_bit = |bit: usize| board.points_where(|v| board.engine.rim(v) >> bit & 1 == 1);
        let corners: Vec<PointSet> = (0..6).map(with_bit).collect();
        assert!(corners.iter().all(|corner| corner.count() == 1));
        let mut sides: Vec<PointSet> = (6..12).map(with_bit).filter(|side| !side.is_empty()).collect();
        for i in 0..6 {
            let with_its_corners = with_bit(6 + i).union(corners[i]).union(corners[(i + 1) % 6]);
            assert!(board.oracle.adjacency().is_group(with_its_corners));
            assert_eq!(with_its_corners.count(), board.engine.side());
        }
        sides.sort();
        assert_eq!(sides, board.oracle.sides_touched(board.oracle.side_points()));
    }
}

/// In every position of one colour on sides 2 and 3 that has no structure, every stone that can be added completes what
/// the oracle finds afterwards.
#[test]
fn every_stone_in_every_small_position_completes_what_the_definitions_say() {
    for side in [2, 3] {
        let board = Board::of(side);
        let positions = 1u32 << board.engine.vertex_count();
        let set = |mask: u32| board.points_where(|v| mask >> v.index() & 1 == 1);
        let expected: Vec<Structures> = (0..positions).map(|mask| board.structures(set(mask))).collect();
        let mut pending = vec![(0u32, Position::new(board.engine))];
        let mut after = Position::new(board.engine);
        let (mut visited, mut completed) = (0, [0; 8]);
        while let Some((mask, position)) = pending.pop() {
            visited += 1;
            for v in position.empty_vertices() {
                let next = mask | 1 << v.index();
                let expected = expected[next as usize];
                assert_eq!(position.completes(Color::Black, v), expected, "{:?} and {v:?}", set(mask));
                assert_eq!(position.completes(Color::White, v), Structures::NONE);
                completed[[Structures::BRIDGE, Structures::FORK, Structures::RING]
                    .iter()
                    .enumerate()
                    .map(|(i, s)| (expected.contains(*s) as usize) << i)
                    .sum::<usize>()] += 1;
                after.copy_from(&position);
                assert_eq!(after.place(Color::Black, v), expected, "{:?} and {v:?}", set(mask));
                // Build each position only once, with its stones in vertex order.
                if mask >> v.index() == 0 && expected.is_empty() {
                    pending.push((next, after.clone()));
                }
            }
        }
        assert_eq!(visited, expected.iter().filter(|s| s.is_empty()).count());
        if side == 3 {
            // All eight sets of structures have been completed.
            assert!(completed.iter().all(|&count| count > 0), "{completed:?}");
        }
    }
}

/// In whole games, online recognition, offline recognition and the oracle find the same winning move and the same
/// structures.
#[test]
fn random_games_end_where_the_definitions_say() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut counts = [0; 5];
    for board in Board::all() {
        let mut finder = RingFinder::new(board.engine);
        for (n, style) in (0..games_on(board.engine.side())).zip(Style::ALL.into_iter().cycle()) {
            let mut order = random_order(&board, style, &mut rng);
            let mut game = Game::new(board.engine);
            while game.outcome().is_none() {
                let next = game.stone_count();
                let completes = |color, v: Vertex| game.position().completes(color, v);
                if let Style::Peaceful = style {
                    // Avoid completing a structure, and take vertices from the opponent that would complete one.
                    let (own, other) = (game.to_move(), !game.to_move());
                    let rank =
                        |&i: &usize| (!completes(own, order[i]).is_empty(), completes(other, order[i]).is_empty());
                    let best = (next..order.len()).min_by_key(rank).expect("the board is not full");
                    order.swap(next, best);
                }
                let expected = completes(game.to_move(), order[next]);
                assert_eq!(game.play(order[next]), Ok(expected));
            }
            let moves = &order[..game.stone_count()];
            let played = board.oracle.configurations_of(&moves.iter().map(|&v| board.point(v)).collect::<Vec<_>>());
            let context = format!("side {}, {style:?} game {n}", board.engine.side());
            assert!(board.oracle.is_valid_game(&played), "{context}");

            let last = moves.len() - 1;
            let winner = match board.oracle.score(played[played.len() - 1]) {
                1 => Some(Color::White),
                -1 => Some(Color::Black),
                _ => None,
            };
            let result = game.outcome().expect("the game has ended");
            assert_eq!(result.winner(), winner, "{context}");
            let by = Color::ALL.map(|color| board.structures(played[last + 1][color.index()]));
            match result {
                Outcome::Win(color, structures) => assert_eq!(structures, by[color.index()], "{context}"),
                Outcome::Draw => assert_eq!(moves.len(), board.engine.vertex_count()),
            }
            assert_winning_stones_are_what_won(&board, &game, played[last + 1], &context);
            for color in Color::ALL {
                let ring = by[color.index()].contains(Structures::RING).then_some(last);
                assert_eq!(finder.earliest(moves, Color::White, color), ring, "{context}, {color}");
                assert_eq!(finder.earliest_of(game.stones(), color), ring, "{context}, {color}");
            }
            for (i, s) in [Structures::BRIDGE, Structures::FORK, Structures::RING].into_iter().enumerate() {
                counts[i] += by.iter().any(|by| by.contains(s)) as usize;
            }
            counts[3] += by.iter().any(|by| by.names().count() > 1) as usize;
            counts[4] += (result == Outcome::Draw) as usize;
        }
    }
    assert!(counts.iter().all(|&count| count >= 5), "{counts:?} bridges, forks, rings, several at once and draws");
}

/// Checks that the stones that the engine shows for each structure make it up, and that they include the last one.
fn assert_winning_stones_are_what_won(board: &Board, game: &Game, end: [PointSet; 2], context: &str) {
    let shown = game.winning_stones();
    let structures = shown.iter().fold(Structures::NONE, |all, (structure, _)| all | *structure);
    let Some(Outcome::Win(color, by)) = game.outcome() else { return assert!(shown.is_empty(), "{context}") };
    assert_eq!((structures, shown.len()), (by, by.names().count()), "{context}");
    for (structure, stones) in shown {
        let set = board.points_of(stones);
        let last = board.point(game.last_stone().unwrap());
        assert!(set.is_subset(end[color.index()]) && board.oracle.adjacency().is_group(set), "{context}: {set:?}");
        assert!(board.structures(set).contains(structure), "{context}: {structure} of {set:?}");
        // Every stone of a bridge or a ring is needed. In a fork, two of the three paths may touch, which makes a stone
        // superfluous.
        let mut stones = set.iter().filter(|_| structure != Structures::FORK);
        let superfluous = stones.find(|&p| board.structures(set.without(p)).contains(structure));
        assert!(set.has(last) && superfluous.is_none(), "{context}: {structure} of {set:?}");
    }
}

/// For every empty vertex and both colours, in games in progress.
#[test]
fn stones_in_random_positions_complete_what_the_definitions_say() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for board in Board::all() {
        for _ in 0..games_on(board.engine.side()) / 4 {
            let mut game = Game::new(board.engine);
            let order = random_order(&board, Style::Clustered, &mut rng);
            for &v in order.iter().take(rng.random_range(0..order.len())) {
                if game.outcome().is_none() && game.position().completes(game.to_move(), v).is_empty() {
                    game.play(v).unwrap();
                }
            }
            for color in Color::ALL {
                let own = board.points_where(|v| game.position().stone(v) == Some(color));
                for v in game.position().empty_vertices() {
                    let expected = board.structures(own.with(board.point(v)));
                    assert_eq!(game.position().completes(color, v), expected);
                }
            }
        }
    }
}

/// On full boards, in spite of all bridges and forks. The first ring of each colour is found online, offline, and by
/// the definition.
#[test]
fn first_rings_on_full_boards_are_those_of_the_definitions() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let (mut with_ring, mut without_ring) = (0, 0);
    for board in Board::all() {
        let mut finder = RingFinder::new(board.engine);
        for style in [Style::Uniform, Style::Clustered].into_iter().cycle().take(games_on(board.engine.side())) {
            let order = random_order(&board, style, &mut rng);
            let mut position = Position::new(board.engine);
            let mut online = [None; 2];
            for (number, &v) in order.iter().enumerate() {
                let color = Color::ALL[number % 2];
                if position.place(color, v).contains(Structures::RING) {
                    online[color.index()].get_or_insert(number);
                }
            }
            for color in Color::ALL {
                let offline = finder.earliest(&order, Color::White, color);
                assert_eq!(online[color.index()], offline);
                // A ring remains a ring, so the first move after which there is one can be found by bisection.
                let own_after = |count: usize| {
                    let moves = order.iter().take(count).enumerate().filter(|(i, _)| i % 2 == color.index());
                    board.points_of(moves.map(|(_, &v)| v))
                };
                let counts: Vec<usize> = (0..=order.len()).collect();
                let without = counts.partition_point(|&count| board.oracle.find_cycle(own_after(count)).is_none());
                let first = (without <= order.len()).then(|| without - 1);
                assert_eq!(offline, first, "side {}, {style:?}, {color}", board.engine.side());
                if let Some(first) = first {
                    assert!(board.oracle.captures_a_point(own_after(first + 1)));
                    assert!(!board.oracle.captures_a_point(own_after(first)));
                }
                *(if first.is_some() { &mut with_ring } else { &mut without_ring }) += 1;
            }
        }
    }
    assert!(with_ring > 300 && without_ring > 300, "{with_ring} colours with a ring, {without_ring} without");
}

/// A simple model of a game, which works everything out from the history each time.
struct Model<'a> {
    board: &'a Board,
    history: Vec<(Color, Move)>,
    swap_allowed: bool,
    /// The player who was given the turn since the last move, if any.
    turn: Option<Color>,
}

impl Model<'_> {
    fn stones(&self) -> Vec<(Color, Vertex)> {
        let mut stones = Vec::new();
        for &(color, m) in &self.history {
            match m {
                Move::Place(v) => stones.push((color, v)),
                _ => stones[0].0 = color,
            }
        }
        stones
    }

    fn own(&self, color: Color) -> PointSet {
        self.board.points_of(self.stones().into_iter().filter(|(c, _)| *c == color).map(|(_, v)| v))
    }

    fn outcome(&self) -> Option<Outcome> {
        let won = Color::ALL.map(|color| (color, self.board.structures(self.own(color))));
        match won.into_iter().find(|(_, structures)| !structures.is_empty()) {
            Some((color, structures)) => Some(Outcome::Win(color, structures)),
            None => (self.stones().len() == self.board.engine.vertex_count()).then_some(Outcome::Draw),
        }
    }

    /// The player who was given the turn, or else the opponent of the player who moved last.
    fn to_move(&self) -> Color {
        self.turn.unwrap_or(self.history.last().map_or(Color::White, |&(color, _)| !color))
    }

    fn play(&mut self, color: Color, m: Move) {
        self.history.push((color, m));
        self.turn = None;
    }

    /// A swap is a move of the player who did not place the first stone.
    fn swap(&mut self) {
        self.play(!self.history[0].0, Move::Swap);
    }

    /// Why a move is illegal, or `None` if it is legal.
    fn error(&self, m: Move) -> Option<PlayError> {
        if let Some(outcome) = self.outcome() {
            return Some(PlayError::GameOver(outcome));
        }
        match m {
            Move::Place(v) => self.stones().iter().any(|(_, w)| *w == v).then_some(PlayError::Occupied(v)),
            _ if !self.swap_allowed => Some(PlayError::SwapOff),
            _ => match self.history[..] {
                [(owner, _)] if owner == self.to_move() => Some(PlayError::SwapOfOwnStone),
                [_] => None,
                _ => Some(PlayError::SwapTooLate),
            },
        }
    }

    fn assert_is(&self, game: &Game) {
        assert_eq!(game.history(), self.history);
        assert_eq!(game.stones().collect::<Vec<_>>(), self.stones());
        assert_eq!(game.stone_count(), self.stones().len());
        assert_eq!(game.last_stone(), self.stones().last().map(|(_, v)| *v));
        assert_eq!(game.to_move(), self.to_move());
        assert_eq!(game.outcome(), self.outcome());
        assert_eq!(game.swap_allowed(), self.swap_allowed);
        assert_eq!(game.can_swap(), self.error(Move::Swap).is_none());
        for v in self.board.engine.vertices() {
            let stone = self.stones().into_iter().find(|(_, w)| *w == v).map(|(color, _)| color);
            assert_eq!(game.position().stone(v), stone);
            assert_eq!(game.position().is_empty(v), stone.is_none());
        }
        if game.outcome().is_none() {
            for color in Color::ALL {
                for v in game.position().empty_vertices() {
                    let expected = self.board.structures(self.own(color).with(self.board.point(v)));
                    assert_eq!(game.position().completes(color, v), expected);
                }
            }
        }
    }
}

/// Legal and illegal stones of either colour, swaps, changes of the turn and undos of any length, in random order.
/// Illegal actions must change nothing.
#[test]
fn after_random_actions_the_game_agrees_with_the_model() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut errors = [0; 5];
    for side in [2, 3, 4, 5] {
        let board = Board::of(side);
        for _ in 0..20 {
            let mut game = Game::new(board.engine);
            let mut model = Model { board: &board, history: Vec::new(), swap_allowed: false, turn: None };
            for _ in 0..60 {
                match rng.random_range(0..100) {
                    0..70 => {
                        let color =
                            if rng.random_bool(0.8) { game.to_move() } else { Color::ALL[rng.random_range(0..2)] };
                        let v = board.vertices[rng.random_range(0..board.vertices.len())];
                        let error = model.error(Move::Place(v));
                        let result = if color == game.to_move() { game.play(v) } else { game.place(color, v) };
                        assert_eq!(result.err(), error);
                        match error {
                            Some(PlayError::Occupied(_)) => errors[0] += 1,
                            Some(_) => errors[1] += 1,
                            None => model.play(color, Move::Place(v)),
                        }
                        if let Ok(structures) = result {
                            assert_eq!(structures, board.structures(model.own(color)));
                        }
                    }
                    70..85 => {
                        let error = model.error(Move::Swap);
                        assert_eq!(game.swap().err(), error);
                        match error {
                            Some(PlayError::SwapOff) => errors[2] += 1,
                            Some(_) => errors[3] += 1,
                            None => model.swap(),
                        }
                    }
                    85..90 => {
                        model.swap_allowed = rng.random_bool(0.7);
                        game.allow_swap(model.swap_allowed);
                    }
                    90..93 => {
                        let color = Color::ALL[rng.random_range(0..2)];
                        game.set_to_move(color);
                        model.turn = Some(color);
                    }
                    _ => {
                        let (asked, played) = (rng.random_range(0..12), model.history.len());
                        if asked > played {
                            assert_eq!(game.undo(asked), Err(UndoError { asked, played }));
                            errors[4] += 1;
                        } else {
                            assert_eq!(game.undo(asked), Ok(()));
                            model.history.truncate(played - asked);
                            model.turn = None;
                        }
                    }
                }
                model.assert_is(&game);
            }
        }
    }
    assert!(errors.iter().all(|&count| count > 20), "{errors:?}");
}

#[test]
fn taking_moves_back_and_playing_them_again_restores_the_game() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    for board in Board::all() {
        let order = random_order(&board, Style::Clustered, &mut rng);
        let mut game = Game::new(board.engine);
        game.allow_swap(true);
        for (i, &v) in order.iter().enumerate() {
            if game.outcome().is_some() {
                break;
            }
            game.play(v).unwrap();
            if i == 0 {
                game.swap().unwrap();
            }
        }
        let mut again = game.clone();
        let back = rng.random_range(1..=game.history().len());
        again.undo(back).unwrap();
        assert_eq!((again.history().len(), again.outcome()), (game.history().len() - back, None));
        for &(color, m) in &game.history()[game.history().len() - back..] {
            match m {
                Move::Place(v) => drop(again.place(color, v).unwrap()),
                _ => again.swap().unwrap(),
            }
        }
        assert_eq!(format!("{again:?}"), format!("{game:?}"));
        for v in board.engine.vertices() {
            assert_eq!(again.position().stone(v), game.position().stone(v));
            assert_eq!(again.position().chain(v).1, game.position().chain(v).1);
        }
    }
}

#[test]
fn chains_hold_the_corners_and_sides_of_their_stones() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    for board in Board::all() {
        let order = random_order(&board, Style::Uniform, &mut rng);
        let mut position = Position::new(board.engine);
        for (number, &v) in order.iter().take(order.len() * 2 / 3).enumerate() {
            position.place(Color::ALL[number % 2], v);
        }
        for color in Color::ALL {
            let own = board.points_where(|v| position.stone(v) == Some(color));
            for chain in board.oracle.adjacency().chains(own) {
                let expected = chain.iter().fold(0, |mask, p| mask | board.engine.rim(board.vertices[p]));
                let representative = position.chain(board.vertices[chain.iter().next().unwrap()]).0;
                assert!(chain.has(board.point(representative)));
                assert!(chain.iter().all(|p| position.chain(board.vertices[p]) == (representative, expected)));
            }
        }
    }
}
