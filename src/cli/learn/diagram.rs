//! Reliability diagrams as a vector graphic.

use std::fmt::Write;

use malecon::tools::learn::calibration::{Calibration, Decile, Reliability};

/// The edge of a diagram, and the room around it.
const SIZE: f64 = 150.0;
const MARGIN: f64 = 34.0;
/// Diagrams in a row.
const COLUMNS: usize = 4;

/// A diagram for each board: for ten groups of positions, the share of points won against the mean chance that was
/// given, by the values of the search (hollow) and by a new fit (filled), which has not seen the positions. True
/// chances lie on the diagonal.
pub fn reliability(boards: &[Calibration]) -> String {
    let step = SIZE + MARGIN;
    let (columns, rows) = (boards.len().min(COLUMNS), boards.len().div_ceil(COLUMNS));
    let (width, height) = (step * columns as f64 + MARGIN / 2.0, step * rows as f64 + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\" role=\"img\">\n\
         <title>Reliability of the chances of winning</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for (i, board) in boards.iter().enumerate() {
        let (x, y) = (MARGIN + step * (i % COLUMNS) as f64, MARGIN + step * (i / COLUMNS) as f64);
        let _ = writeln!(svg, "<g transform=\"translate({x} {y})\">{}</g>", diagram(board));
    }
    let legend = height - MARGIN / 2.0;
    let _ = writeln!(
        svg,
        "<text x=\"{MARGIN}\" y=\"{legend}\">Right: chance given. Up: share of points won. Filled: after the fit, which has not \
         seen them. Hollow: the search's own values.</text>\n</svg>"
    );
    svg
}

fn diagram(board: &Calibration) -> String {
    let mut svg = format!(
        "<text x=\"{}\" y=\"-8\" text-anchor=\"middle\" font-weight=\"bold\">side {}</text>\
         <rect width=\"{SIZE}\" height=\"{SIZE}\" fill=\"none\" stroke=\"#999\"/>\
         <path d=\"M0 {SIZE}L{SIZE} 0\" stroke=\"#999\" stroke-dasharray=\"3 3\"/>",
        SIZE / 2.0,
        board.fit.side
    );
    for (text, x, y) in [("0", 0.0, SIZE + 13.0), ("1", SIZE - 6.0, SIZE + 13.0), ("1", -10.0, 10.0)] {
        let _ = write!(svg, "<text x=\"{x}\" y=\"{y}\">{text}</text>");
    }
    svg + &points(&board.values, "#fff") + &points(&board.fitted, "#2563eb")
}

fn points(reliability: &Reliability, fill: &str) -> String {
    let point = |&Decile { given, got }: &Decile| {
        let (x, y) = (SIZE * given, SIZE * (1.0 - got));
        format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{fill}\" stroke=\"#2563eb\"/>")
    };
    reliability.deciles.iter().map(point).collect()
}
