//! The ratios as bars, in an SVG file.

use super::table::{Ratio, Shown};
use std::fmt::Write;

const LABEL_WIDTH: f64 = 210.0;
const BARS_WIDTH: f64 = 520.0;
const BAR_HEIGHT: f64 = 12.0;
const GAP: f64 = 8.0;
const TOP: f64 = 40.0;
const COLORS: [&str; 4] = ["#a23b2a", "#4a6fa5", "#6b8e23", "#8a6d3b"];

/// A chart with a group of bars for each row, and a line at 1, where the libraries are equal.
pub fn draw(rows: &[Shown]) -> String {
    let all = rows.iter().flat_map(|row| row.ratios.iter().filter_map(|(_, ratio)| *ratio));
    let most = all.map(|ratio| ratio.median).fold(2.0, f64::max).ceil();
    let scale = BARS_WIDTH / most;
    let others = rows.first().map_or(0, |row| row.ratios.len());
    let group = others as f64 * BAR_HEIGHT + GAP;
    let bottom = TOP + rows.len() as f64 * group;
    let (width, height) = (LABEL_WIDTH + BARS_WIDTH + 60.0, bottom + 20.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    legend(&mut svg, rows);
    for (at, row) in rows.iter().enumerate() {
        let top = TOP + at as f64 * group;
        let middle = top + others as f64 * BAR_HEIGHT / 2.0 + 4.0;
        let label = escape(&row.label);
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{label}</text>",
            LABEL_WIDTH - 6.0
        );
        for (other, (_, ratio)) in row.ratios.iter().enumerate() {
            let Some(Ratio { median, .. }) = ratio else { continue };
            let (y, width) = (top + other as f64 * BAR_HEIGHT, median * scale);
            let _ = writeln!(
                svg,
                "<rect x=\"{LABEL_WIDTH}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\" \
                 fill=\"{}\"/><text x=\"{:.1}\" y=\"{}\">{median:.2}</text>",
                BAR_HEIGHT - 1.0,
                color(other),
                LABEL_WIDTH + width + 4.0,
                y + BAR_HEIGHT - 2.0,
            );
        }
    }
    let equal = LABEL_WIDTH + scale;
    let _ = writeln!(
        svg,
        "<line x1=\"{equal:.1}\" x2=\"{equal:.1}\" y1=\"{}\" y2=\"{bottom}\" stroke=\"black\"/>\n\
         </svg>",
        TOP - 6.0
    );
    svg
}

fn legend(svg: &mut String, rows: &[Shown]) {
    let names = rows.first().map_or(&[][..], |row| &row.ratios);
    for (at, (name, _)) in names.iter().enumerate() {
        let x = LABEL_WIDTH + at as f64 * 170.0;
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"12\" width=\"10\" height=\"10\" fill=\"{}\"/>\
             <text x=\"{}\" y=\"21\">throughput to {}</text>",
            color(at),
            x + 14.0,
            escape(name)
        );
    }
}

fn color(at: usize) -> &'static str {
    COLORS[at % COLORS.len()]
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_ratios() {
        let ratio = |median| Some(Ratio { median, least: median, most: median });
        let ratios = vec![("b".to_string(), ratio(4.0)), ("c".to_string(), None)];
        let svg = draw(&[Shown { label: "a<b".into(), ratios }]);
        assert!(svg.contains("a&lt;b</text>"), "{svg}");
        assert!(svg.contains(&format!("width=\"{BARS_WIDTH:.1}\"")), "{svg}");
        // The frame, two in the legend, one bar.
        assert_eq!(svg.matches("<rect").count(), 4);
        assert!(svg.contains(&format!("x1=\"{:.1}\"", LABEL_WIDTH + BARS_WIDTH / 4.0)));
    }
}
