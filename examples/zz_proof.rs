use malecon::board::*;
use malecon::proof;
use malecon::solver::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let side: usize = args[1].parse().unwrap();
    let mem: usize = args[2].parse().unwrap();
    let board = Geometry::of(side).unwrap();
    let mut game = Game::new(board);
    for m in &args[3..] { game.play(Notation::HavannahGui.parse(board, m).unwrap()).unwrap(); }
    let mut solver = Solver::new(board, mem << 20).unwrap();
    let t = std::time::Instant::now();
    let s = loop { if let Some(s) = solver.solve(game.position(), game.to_move(), 1 << 20) { break s; } };
    let winner = match s { Solution::Win(_) => game.to_move(), Solution::Loss => !game.to_move(), Solution::Draw => panic!() };
    println!("{winner} solved {:?}", t.elapsed());
    let root = proof::Root::new(&game, winner).unwrap();
    let mut file = Vec::new();
    let t = std::time::Instant::now();
    let w = proof::write(&mut file, &[root], &mut solver, &mut |p| { if p.moves % (1<<16) == 0 { eprintln!("{} {:?}", p.moves, t.elapsed()); } true }).unwrap();
    println!("written {w:?} {:?}", t.elapsed());
    let t = std::time::Instant::now();
    let c = proof::check(&file[..]).unwrap();
    println!("checked {:?} {} {:?}", c.summary, c.bytes, t.elapsed());
    std::fs::write("/tmp/proof/last.mlc", &file).unwrap();
}
