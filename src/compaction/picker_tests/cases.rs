//! What is picked, as text: the files `*.txt` beside this file.
//!
//! A case is a name behind `##`, lines `Ln files` as in `parse_file`, lines `key value` with
//! options and surroundings, and a line `= plans`: what is picked in turn, each plan claimed before the
//! next is asked for, until there is `none`.

use super::super::manual::{RangeOutput, RangePick, RangeRequest};
use super::super::picker::Picker;
use super::super::running::RunningCompactions;
use super::{describe, options, parse_file, version_of};
use crate::base::key::{InternalKey, MAX_SEQUENCE, ValueType};
use crate::base::sync::Arc;
use crate::options::text::Pairs;
use crate::options::{CfOptions, DbOptions};
use crate::version::edit::VersionEdit;
use std::collections::BTreeMap;

struct Case<'a> {
    name: &'a str,
    files: Vec<(u32, String)>,
    settings: BTreeMap<&'a str, &'a str>,
    options: CfOptions,
    expected: Vec<&'a str>,
}

fn parse<'a>(text: &'a str, common: &str) -> Case<'a> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut case = Case {
        name: lines.next().unwrap(),
        files: Vec::new(),
        settings: BTreeMap::new(),
        options: options().with_string(common).unwrap(),
        expected: Vec::new(),
    };
    for line in lines {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "=" {
            case.expected.push(rest.trim());
        } else if let Some(level) = word.strip_prefix('L').and_then(|l| l.parse::<u32>().ok()) {
            case.files.extend(rest.split_whitespace().map(|file| (level, file.to_string())));
        } else if word == "options" {
            Pairs::parse(rest).unwrap();
            case.options = case.options.with_string(rest).unwrap();
        } else {
            case.settings.insert(word, rest.trim());
        }
    }
    case.options.sanitize(&DbOptions::default());
    case
}

fn run(case: &Case<'_>) -> Vec<String> {
    let files = case.files.iter().map(|(level, text)| (*level, Arc::new(parse_file(text))));
    let number = |key: &str| case.settings.get(key).map_or(0, |text| text.parse().unwrap());
    let mut edit = VersionEdit::default();
    if let Some((level, key)) = case.settings.get("cursor").and_then(|text| text.split_once(' ')) {
        let key = InternalKey::new(key.as_bytes(), MAX_SEQUENCE, ValueType::Value);
        edit.compact_cursors.push((level.parse().unwrap(), key));
    }
    let num_levels = case.settings.get("levels").map_or(5, |text| text.parse().unwrap());
    let version = Arc::new(version_of(num_levels, files.collect(), edit));
    let mut running = RunningCompactions::default();
    let mut found = Vec::new();
    loop {
        let picker = Picker {
            version: &version,
            options: &case.options,
            running: &running,
            oldest_snapshot: number("oldest_snapshot"),
            now: number("now"),
            offpeak_lead: number("offpeak_lead"),
            max_subcompactions: 1,
        };
        let plan = match (case.settings.get("range"), case.settings.get("names")) {
            (Some(range), _) => {
                let (plan, text) = pick_range(&picker, range);
                found.push(text);
                plan
            }
            (_, Some(names)) => {
                let mut numbers = names.split_whitespace().map(|n| n.parse().unwrap());
                let output = numbers.next().unwrap() as usize;
                let plan = picker.pick_files(&numbers.collect(), output, "default");
                found.push(plan.as_ref().map_or_else(ToString::to_string, describe));
                return found;
            }
            _ => {
                let plan = picker.pick();
                found.push(plan.as_ref().map_or("none".to_string(), describe));
                plan
            }
        };
        let Some(plan) = plan else { return found };
        plan.set_being_compacted(true);
        running.add(&plan);
    }
}

/// `level output begin end newest`, with `-` for what is not given.
fn pick_range(
    picker: &Picker<'_>,
    text: &str,
) -> (Option<super::super::plan::CompactionPlan>, String) {
    let words: Vec<_> = text.split_whitespace().collect();
    let key = |word: &str, sequence, value_type| {
        (word != "-").then(|| InternalKey::new(word.as_bytes(), sequence, value_type))
    };
    let begin = key(words[2], MAX_SEQUENCE, ValueType::FOR_SEEK);
    let end = key(words[3], 0, ValueType::Deletion);
    let request = RangeRequest {
        level: words[0].parse().unwrap(),
        output: words[1].parse().map_or(RangeOutput::Base, RangeOutput::Level),
        begin: begin.as_ref(),
        end: end.as_ref(),
        newest_file: words[4].parse().ok(),
        rewrite: false,
    };
    match picker.pick_range(&request) {
        RangePick::Nothing => (None, "nothing".to_string()),
        RangePick::Conflict => (None, "conflict".to_string()),
        RangePick::Plan(plan, rest) => {
            let rest = rest.map_or("end".to_string(), |key| {
                String::from_utf8_lossy(key.user_key()).into_owned()
            });
            let text = format!("{}, then from {rest}", describe(&plan));
            (Some(*plan), text)
        }
    }
}

#[test]
fn cases() {
    check(include_str!("cases.txt"), "");
}

#[test]
fn universal_cases() {
    check(include_str!("universal.txt"), "compaction_style=kCompactionStyleUniversal");
}

#[test]
fn fifo_cases() {
    check(include_str!("fifo.txt"), "compaction_style=kCompactionStyleFIFO");
}

#[test]
fn what_nobody_asks_for_is_not_compacted() {
    let files = "## none\nL0 1:a-c:900* 2:b-d:900 3:a-y:900 4:c-f:900 5:a-b:900\nL1 6:a-z:900\n";
    check(&format!("{files}= none"), "compaction_style=kCompactionStyleNone");
    check(&format!("{files}range 0 1 - - -\n= nothing"), "compaction_style=kCompactionStyleNone");
}

/// Checks the cases of `text`, all with these options.
fn check(text: &str, common: &str) {
    let mut wrong = String::new();
    for case in text.split("## ").skip(1).map(|text| parse(text, common)) {
        let found = run(&case);
        if found != case.expected {
            wrong += &format!("{}\n", case.name);
            for line in found {
                wrong += &format!("= {line}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "found otherwise:\n{wrong}");
}
