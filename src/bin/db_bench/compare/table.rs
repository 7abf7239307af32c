//! The figures of a comparison.

use super::suite::Part;
use crate::failure::Result;
use std::fmt::Write;

/// The rows, in the order in which they came up.
pub struct Table {
    libraries: Vec<String>,
    rows: Vec<Figures>,
    /// The lines of all processes.
    csv: String,
}

struct Figures {
    label: String,
    /// Of each library, the throughput of each round; `None` where it does not have the workload.
    rounds: Vec<Vec<Option<f64>>>,
}

/// What the first library is worth beside another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

/// A row as it is shown: its name, and the ratio to each library but the first.
pub struct Shown {
    pub label: String,
    pub ratios: Vec<(String, Option<Ratio>)>,
}

impl Table {
    pub fn new(libraries: Vec<String>) -> Table {
        Table { libraries, rows: Vec::new(), csv: String::new() }
    }

    /// Takes the lines that a library gave for a part, one a workload.
    pub fn add(&mut self, library: usize, part: &Part, lines: &[String]) -> Result<()> {
        let mut lines = lines.iter();
        for row in &part.rows {
            let mut parts = Vec::new();
            let label = row.label.as_deref().unwrap_or("-");
            for line in lines.by_ref().take(row.items.len()) {
                let round = self.round_of(label, library);
                let name = &self.libraries[library];
                let _ = writeln!(self.csv, "{round},{name},\"{label}\",{line}");
                parts.push(operations_and_seconds(line)?);
            }
            if row.label.is_none() {
                continue;
            }
            let all: Option<Vec<(f64, f64)>> = parts.into_iter().collect();
            let throughput = all.and_then(|all| {
                let seconds: f64 = all.iter().map(|(_, seconds)| seconds).sum();
                Some(all.first()?.0 / seconds)
            });
            self.figures(label).rounds[library].push(throughput);
        }
        Ok(())
    }

    fn figures(&mut self, label: &str) -> &mut Figures {
        let at = self.rows.iter().position(|row| row.label == label).unwrap_or_else(|| {
            let rounds = vec![Vec::new(); self.libraries.len()];
            self.rows.push(Figures { label: label.into(), rounds });
            self.rows.len() - 1
        });
        &mut self.rows[at]
    }

    fn round_of(&self, label: &str, library: usize) -> usize {
        let row = self.rows.iter().find(|row| row.label == label);
        row.map_or(1, |row| row.rounds[library].len() + 1)
    }

    pub fn csv(&self) -> &str {
        &self.csv
    }

    pub fn ratios(&self) -> Vec<Shown> {
        let shown = |row: &Figures| Shown {
            label: row.label.clone(),
            ratios: (1..self.libraries.len())
                .map(|other| (self.libraries[other].clone(), row.ratio(other)))
                .collect(),
        };
        self.rows.iter().map(shown).collect()
    }

    /// For people: throughput of each library, and the ratios with their spread.
    pub fn text(&self) -> String {
        let mut text = format!("{:<28}", "operations a second");
        for library in &self.libraries {
            let _ = write!(text, " {library:>12}");
        }
        for library in &self.libraries[1..] {
            let _ = write!(text, "  {:<20}", format!("to {library}"));
        }
        text.push('\n');
        for (row, shown) in self.rows.iter().zip(self.ratios()) {
            let _ = write!(text, "{:<28}", row.label);
            for library in 0..self.libraries.len() {
                let cell = row.median(library).map_or("-".into(), |value| format!("{value:.0}"));
                let _ = write!(text, " {cell:>12}");
            }
            for (_, ratio) in &shown.ratios {
                let _ = write!(text, "  {:<20}", ratio.map_or("-".into(), |r| r.to_string()));
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        for (library, mean) in self.means() {
            let _ = writeln!(text, "geometric mean to {library}: {mean:.2}");
        }
        text
    }

    pub fn markdown(&self) -> String {
        let heads = self.libraries[1..].iter().map(|library| format!(" to {library} |"));
        let mut text = format!("| workload |{}\n|---|", heads.collect::<String>());
        text += &"---|".repeat(self.libraries.len() - 1);
        text.push('\n');
        for shown in self.ratios() {
            let cell = |(_, ratio): &(String, Option<Ratio>)| {
                format!(" {} |", ratio.map_or(String::new(), |ratio| ratio.to_string()))
            };
            let cells: String = shown.ratios.iter().map(cell).collect();
            let _ = writeln!(text, "| {} |{cells}", shown.label);
        }
        let means: String = self.means().iter().map(|(_, mean)| format!(" {mean:.2} |")).collect();
        let _ = writeln!(text, "| geometric mean |{means}");
        text
    }

    /// Over the rows that both libraries have.
    fn means(&self) -> Vec<(String, f64)> {
        let mean = |other: usize| {
            let ratios = self.rows.iter().filter_map(|row| row.ratio(other));
            let logarithms: Vec<f64> = ratios.map(|ratio| ratio.median.ln()).collect();
            (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp()
        };
        (1..self.libraries.len()).map(|at| (self.libraries[at].clone(), mean(at))).collect()
    }
}

impl Figures {
    fn median(&self, library: usize) -> Option<f64> {
        median(self.rounds[library].iter().copied().collect::<Option<Vec<f64>>>()?)
    }

    fn ratio(&self, other: usize) -> Option<Ratio> {
        let rounds = self.rounds[0].iter().zip(&self.rounds[other]);
        let ratios: Option<Vec<f64>> =
            rounds.map(|(own, other)| Some((*own)? / (*other)?)).collect();
        let ratios = ratios?;
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        Some(Ratio { median: median(ratios)?, least, most })
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} ({:.2} to {:.2})", self.median, self.least, self.most)
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        len if len % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

/// What a line of the file of figures says; `None` if the library does not have the workload.
fn operations_and_seconds(line: &str) -> Result<Option<(f64, f64)>> {
    let unfit = || format!("'{line}' is no line of figures");
    let columns: Vec<&str> = line.split(',').collect();
    let [_, kind, operations, seconds, ..] = columns[..] else { return Err(unfit().into()) };
    if kind == "absent" {
        return Ok(None);
    }
    let number = |text: &str| text.parse::<f64>().map_err(|_| unfit());
    Ok(Some((number(operations)?, number(seconds)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::suite::Row;

    fn table() -> Table {
        let mut part = Part::of_list("fillseq,overwrite,waitforcompaction,mergerandom").unwrap();
        let settle = part.rows.remove(2);
        part.rows[1].items.extend(settle.items);
        part.rows.push(Row { label: None, items: vec!["readseq".into()] });
        let mut table = Table::new(vec!["a".into(), "b".into()]);
        let lines = |fill: &str, merges: &str| {
            let lines = [fill, "o,measured,80,1.5", "w,measured,1,0.5", merges, "r,measured,9,9"];
            lines.map(String::from)
        };
        for (fill, other) in [("100,1", "100,2"), ("100,1", "100,4"), ("300,1", "100,1")] {
            let merges = "m,measured,1,1";
            table.add(0, &part, &lines(&format!("f,measured,{fill}"), merges)).unwrap();
            let absent = "m,absent,,,";
            table.add(1, &part, &lines(&format!("f,measured,{other}"), absent)).unwrap();
        }
        table
    }

    #[test]
    fn ratios_are_medians_over_rounds() {
        let shown = table().ratios();
        let ratios: Vec<(&str, Option<Ratio>)> =
            shown.iter().map(|row| (row.label.as_str(), row.ratios[0].1)).collect();
        let ratio = |median, least, most| Some(Ratio { median, least, most });
        let wanted = [
            ("fillseq", ratio(3.0, 2.0, 4.0)),
            ("overwrite", ratio(1.0, 1.0, 1.0)),
            ("mergerandom", None),
        ];
        assert_eq!(ratios, wanted);
    }

    #[test]
    fn tables_show_every_row() {
        let table = table();
        let wanted = "| workload | to b |\n|---|---|\n| fillseq | 3.00 (2.00 to 4.00) |\n\
                      | overwrite | 1.00 (1.00 to 1.00) |\n| mergerandom |  |\n\
                      | geometric mean | 1.73 |\n";
        assert_eq!(table.markdown(), wanted);
        let text = table.text();
        let overwrite = text.lines().nth(2).unwrap();
        let words: Vec<&str> = overwrite.split_whitespace().collect();
        assert_eq!(words, ["overwrite", "40", "40", "1.00", "(1.00", "to", "1.00)"]);
        assert_eq!(table.csv().lines().count(), 2 * 3 * 5);
        assert!(table.csv().starts_with("1,a,\"fillseq\",f,measured,100,1\n"));
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        let error = operations_and_seconds("f,measured,x,1").unwrap_err().to_string();
        assert_eq!(error, "'f,measured,x,1' is no line of figures");
        assert!(operations_and_seconds("f").is_err());
    }
}
