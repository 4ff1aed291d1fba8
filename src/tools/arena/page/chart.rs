//! Line charts as vector graphics, in the colours of a page.

use std::fmt::Write;

use crate::base::html::escaped;

/// The size of a chart, and its margins on the left, the right, at the top and at the bottom.
const SIZE: [f64; 2] = [760.0, 220.0];
const MARGINS: [f64; 4] = [56.0, 10.0, 10.0, 26.0];

/// The approximate number of grid lines from left to right, and from bottom to top.
const GRID: [f64; 2] = [10.0, 5.0];

/// A curve. Values that are infinite or undefined leave a gap.
pub struct Curve {
    /// What it is called in the legend.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<[f64; 2]>,
    /// For each point the ends of an interval around it, which is drawn as a band; may be empty.
    pub band: Vec<[f64; 2]>,
}

/// A chart of curves over a common axis.
pub struct Chart<'a> {
    /// What it shows, for its heading and for screen readers.
    pub title: &'a str,
    /// What the horizontal axis shows.
    pub across: &'a str,
    /// The curves. They differ in colour and, beyond the first, in the pattern of their strokes.
    pub curves: Vec<Curve>,
    /// Values that are marked by a dashed line, with the words beside it.
    pub levels: Vec<(f64, &'a str)>,
    /// The range that the vertical axis covers at least.
    pub least: [f64; 2],
    /// Writes a value beside the axis.
    pub show: fn(f64) -> String,
}

impl Chart<'_> {
    /// The chart as HTML: a section with a heading, the graphic and a legend. Empty if there is nothing to draw.
    pub fn section(&self) -> String {
        let points = || self.curves.iter().flat_map(|curve| &curve.points).filter(|point| point[1].is_finite());
        let Some(right) = points().map(|point| point[0]).reduce(f64::max).filter(|&right| right > 0.0) else {
            return String::new();
        };
        // Bands are wide at first, so only their last values have to fit.
        let bands = self.curves.iter().flat_map(|curve| curve.band.last()).flatten().copied();
        let values = points().map(|point| point[1]).chain(bands.filter(|value| value.is_finite()));
        let values = values.chain(self.levels.iter().map(|level| level.0)).chain(self.least);
        let (low, high) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let margin = 0.05 * (high - low);
        let low = if low < 0.0 { low - margin } else { low };
        let axes = Axes { right, low, high: high + margin };
        let title = escaped(self.title);
        let mut svg = format!(
            "<section><h2>{title}</h2>\n<svg class=\"graph\" viewBox=\"0 0 {} {}\" role=\"img\" ",
            SIZE[0], SIZE[1]
        );
        let _ = writeln!(svg, "aria-label=\"{title}\">");
        svg += &self.grid(&axes);
        for (value, words) in &self.levels {
            let y = axes.y(*value);
            let _ = writeln!(
                svg,
                "<path class=\"turn\" d=\"M{} {y:.1}H{}\"/><text class=\"axis\" x=\"{}\" y=\"{:.1}\">{words}</text>",
                MARGINS[0],
                SIZE[0] - MARGINS[1],
                MARGINS[0] + 6.0,
                y - 4.0
            );
        }
        self.curves.iter().enumerate().for_each(|(i, curve)| svg += &axes.curve(i, curve));
        svg + "</svg>\n" + &self.legend() + "</section>\n"
    }

    fn grid(&self, axes: &Axes) -> String {
        let mut svg = String::new();
        for value in round_values(axes.low, axes.high, GRID[1]) {
            let y = axes.y(value);
            let class = if value == 0.0 { "half" } else { "grid" };
            let _ = writeln!(
                svg,
                "<path class=\"{class}\" d=\"M{} {y:.1}H{}\"/>\
                 <text class=\"axis\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                MARGINS[0],
                SIZE[0] - MARGINS[1],
                MARGINS[0] - 6.0,
                y + 4.0,
                (self.show)(value)
            );
        }
        for value in round_values(0.0, axes.right, GRID[0]).filter(|value| value.fract() == 0.0) {
            let (x, y) = (axes.x(value), SIZE[1] - 6.0);
            let _ = writeln!(svg, "<text class=\"axis\" x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{value}</text>");
        }
        svg
    }

    fn legend(&self) -> String {
        let names = self.curves.iter().enumerate().map(|(i, curve)| {
            format!(
                "<svg class=\"key\" viewBox=\"0 0 30 10\"><path class=\"line curve-{i}\" d=\"M0 5H30\"/></svg> {}",
                escaped(&curve.name)
            )
        });
        let names: Vec<String> = names.collect();
        format!("<p class=\"legend\">{}. From left to right: {}.</p>", names.join(" &nbsp; "), escaped(self.across))
    }
}

/// The part of the plane that a chart shows.
struct Axes {
    right: f64,
    low: f64,
    high: f64,
}

impl Axes {
    fn x(&self, value: f64) -> f64 {
        MARGINS[0] + (SIZE[0] - MARGINS[0] - MARGINS[1]) * value / self.right
    }

    /// Where a value is drawn: at the edge if it is beyond.
    fn y(&self, value: f64) -> f64 {
        let share = (value.clamp(self.low, self.high) - self.low) / (self.high - self.low);
        MARGINS[2] + (SIZE[1] - MARGINS[2] - MARGINS[3]) * (1.0 - share)
    }

    fn curve(&self, number: usize, curve: &Curve) -> String {
        let path = |points: &mut dyn Iterator<Item = [f64; 2]>| {
            let points: Vec<String> = points.map(|[x, y]| format!("{:.1} {:.1}", self.x(x), self.y(y))).collect();
            points.join("L")
        };
        let mut svg = String::new();
        if !curve.band.is_empty() {
            let ends =
                |end: usize| curve.points.iter().zip(&curve.band).map(move |(point, band)| [point[0], band[end]]);
            let mut around = ends(0).chain(ends(1).rev());
            let _ = writeln!(svg, "<path class=\"area\" d=\"M{}Z\"/>", path(&mut around));
        }
        for run in curve.points.split(|point| !point[1].is_finite()).filter(|run| !run.is_empty()) {
            let _ = writeln!(svg, "<path class=\"line curve-{number}\" d=\"M{}\"/>", path(&mut run.iter().copied()));
        }
        svg
    }
}

/// Round values from `low` to `high`, about `count` of them.
fn round_values(low: f64, high: f64, count: f64) -> impl Iterator<Item = f64> {
    let rough = (high - low).max(f64::MIN_POSITIVE) / count;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0].map(|factor| factor * power).into_iter().find(|&step| step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    // Dividing by the inverse makes multiples of 0.1 and the like exact.
    (first..=last).map(move |i| if step < 1.0 { i as f64 / (1.0 / step).round() } else { i as f64 * step })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_round_values() {
        let values = |low, high| round_values(low, high, 5.0).collect::<Vec<_>>();
        assert_eq!(values(0.0, 10.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(values(-3.1, 2.9), [-2.0, 0.0, 2.0]);
        assert_eq!(values(0.0, 0.43), [0.0, 0.1, 0.2, 0.3, 0.4]);
    }

    #[test]
    fn values_that_are_not_finite_leave_a_gap() {
        let points = vec![[0.0, 1.0], [1.0, f64::INFINITY], [2.0, 1.5], [3.0, 2.0]];
        let curve = Curve { name: "a<b".into(), points, band: vec![] };
        let chart = Chart {
            title: "T",
            across: "games",
            curves: vec![curve],
            levels: vec![],
            least: [0.0, 1.0],
            show: |value| value.to_string(),
        };
        let html = chart.section();
        assert_eq!(html.matches("class=\"line curve-0\" d=\"M").count(), 3, "two runs and the legend: {html}");
        assert!(!html.contains("inf") && !html.contains("NaN") && html.contains("a&lt;b"), "{html}");
        assert_eq!(Chart { curves: vec![], ..chart }.section(), "");
    }
}
