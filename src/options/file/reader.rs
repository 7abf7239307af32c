//! Reading OPTIONS files.

use crate::base::status::{Result, Status};
use crate::options::cf::CfOptions;
use crate::options::change::set_known;
use crate::options::db::DbOptions;
use crate::options::file::{KNOWN_VERSION, OptionsFile};
use crate::options::table_factory::TableFactory;
use crate::options::text::{Pairs, Reading, unescape};

const TABLE_OPTIONS: &str = "TableOptions/";

/// What the lines that are being collected belong to.
enum Section {
    /// Lines before the first section, which mean nothing.
    None,
    Version,
    Db,
    ColumnFamily(String),
    /// Name of the factory, index of the column family.
    Table(String, usize),
}

struct Parser {
    file: OptionsFile,
    how: Reading,
    has_version: bool,
    has_db: bool,
}

pub(super) fn parse(text: &str, ignore_unknown: bool) -> Result<OptionsFile> {
    let mut parser = Parser {
        file: OptionsFile::default(),
        how: Reading { escaped: true, ignore_unknown, live_only: false },
        has_version: false,
        has_db: false,
    };
    let mut section = Section::None;
    let mut pairs = Pairs::default();
    for (i, line) in text.split('\n').enumerate() {
        let line = without_comment(line);
        if line.is_empty() {
            continue;
        }
        if line.len() >= 2 && line.starts_with('[') && line.ends_with(']') {
            parser.end_section(&section, &pairs)?;
            pairs = Pairs::default();
            section = parser.begin_section(line, i + 1)?;
        } else {
            let (name, value) = statement(line, i + 1)?;
            pairs.insert(name, value);
        }
    }
    parser.end_section(&section, &pairs)?;
    parser.finish()
}

/// An error at a line, counted from 1.
fn error(line: usize, text: &str) -> Status {
    Status::invalid_argument(format!("[RocksDBOptionsParser Error] : {text} (at line {line})"))
}

/// `line` without its comment and the white space around it.
fn without_comment(line: &str) -> &str {
    let comment = line
        .match_indices('#')
        .map(|(at, _)| at)
        .find(|&at| at == 0 || line.as_bytes()[at - 1] != b'\\');
    line[..comment.unwrap_or(line.len())].trim()
}

/// Name and value of `name=value`.
fn statement(line: &str, number: usize) -> Result<(&str, &str)> {
    let Some((name, value)) = line.split_once('=') else {
        return Err(error(number, "A valid statement must have a '='."));
    };
    let name = name.trim();
    if name.is_empty() {
        return Err(error(number, "A valid statement must have a variable name."));
    }
    Ok((name, without_comment(value)))
}

/// Title and argument of `[title "argument"]`; the argument may be missing.
fn split_section(line: &str) -> (&str, String) {
    match (line.find('"'), line.rfind('"')) {
        (Some(start), Some(end)) if start < end => {
            (line[1..start].trim(), unescape(&line[start + 1..end]))
        }
        _ => (line[1..line.len() - 1].trim(), String::new()),
    }
}

impl Parser {
    fn begin_section(&mut self, line: &str, number: usize) -> Result<Section> {
        let (title, argument) = split_section(line);
        match title {
            "Version" if self.has_version => {
                Err(error(number, "More than one Version section found in the option config file."))
            }
            "Version" => {
                self.has_version = true;
                Ok(Section::Version)
            }
            "DBOptions" if self.has_db => {
                Err(error(number, "More than one DBOption section found in the option config file"))
            }
            "DBOptions" => {
                self.has_db = true;
                Ok(Section::Db)
            }
            "CFOptions" => self.begin_column_family(argument, number),
            _ => match title.strip_prefix(TABLE_OPTIONS) {
                Some(factory) if !factory.is_empty() => {
                    self.begin_table(factory, &argument, number)
                }
                _ => Err(Status::invalid_argument(format!("Unknown section {line}"))),
            },
        }
    }

    fn begin_column_family(&mut self, name: String, number: usize) -> Result<Section> {
        let is_first = self.file.column_families.is_empty();
        if is_first != (name == "default") {
            return Err(error(
                number,
                "Default column family must be the first CFOptions section in the option config \
                 file",
            ));
        }
        if self.column_family(&name).is_some() {
            return Err(error(number, "Two identical column families found in option config file"));
        }
        Ok(Section::ColumnFamily(name))
    }

    fn begin_table(&mut self, factory: &str, name: &str, number: usize) -> Result<Section> {
        let Some(at) = self.column_family(name) else {
            let text = "Does not find a matched column family name in TableOptions section.  \
                        Column Family Name:";
            return Err(error(number, &format!("{text}{name}")));
        };
        Ok(Section::Table(factory.to_string(), at))
    }

    fn column_family(&self, name: &str) -> Option<usize> {
        self.file.column_families.iter().position(|(known, _)| known == name)
    }

    /// Takes the lines of a section that is complete.
    fn end_section(&mut self, section: &Section, pairs: &Pairs) -> Result<()> {
        match section {
            Section::None => Ok(()),
            Section::Version => self.end_version(pairs),
            Section::Db => {
                let mut options = DbOptions::default();
                set_known(&mut options, pairs, &self.how)?;
                self.file.db = options;
                Ok(())
            }
            Section::ColumnFamily(name) => {
                let mut options = CfOptions::default();
                set_known(&mut options, pairs, &self.how)?;
                self.file.column_families.push((name.clone(), options));
                Ok(())
            }
            Section::Table(factory, at) => {
                // A factory that this library does not make is not an error, as in RocksDB.
                if let Some(mut factory) = TableFactory::from_name(factory) {
                    factory.set_options(pairs, &self.how)?;
                    self.file.column_families[*at].1.table_factory = factory;
                }
                Ok(())
            }
        }
    }

    fn end_version(&mut self, pairs: &Pairs) -> Result<()> {
        for (name, value) in pairs {
            match name.as_str() {
                "rocksdb_version" => self.file.rocksdb_version = parse_version(name, value)?,
                "options_file_version" => {
                    let [major, _] = parse_version(name, value)?;
                    if major < 1 {
                        return Err(Status::invalid_argument(
                            "A valid options_file_version must be at least 1.",
                        ));
                    }
                }
                _ => {}
            }
        }
        if self.file.rocksdb_version <= KNOWN_VERSION {
            self.how.ignore_unknown = false;
        }
        Ok(())
    }

    fn finish(self) -> Result<OptionsFile> {
        if !self.has_db {
            return Err(Status::corruption(
                "A RocksDB Option file must have a single DBOptions section",
            ));
        }
        if self.file.column_families.is_empty() {
            return Err(Status::corruption(
                "A RocksDB Option file must have a single CFOptions:default section",
            ));
        }
        Ok(self.file)
    }
}

/// The numbers of `1.2.3`; those that are missing are 0.
fn parse_version<const N: usize>(name: &str, text: &str) -> Result<[u32; N]> {
    let error = |what: String| Err(Status::invalid_argument(format!("A valid {name} {what}")));
    if !text.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit()) {
        return error("can only contains dots and numbers.".to_string());
    }
    let parts: Vec<&str> = text.split('.').collect();
    if parts.len() > N {
        return error(format!("can only contains at most {} dots.", N - 1));
    }
    let mut version = [0; N];
    for (i, part) in parts.iter().enumerate() {
        if part.is_empty() && parts.len() > 1 {
            let side = if i + 1 == parts.len() { "after" } else { "before" };
            return error(format!("must have at least one digit {side} each dot."));
        }
        // A number that does not fit is as new as can be.
        version[i] = if part.is_empty() { 0 } else { part.parse().unwrap_or(u32::MAX) };
    }
    Ok(version)
}
