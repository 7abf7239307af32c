//! The option table: each option is said once, as a row, and everything else follows from the
//! rows.
//!
//! A table is a macro that hands its rows to another macro: to [`define_options`] here, and in
//! `capi` to the one that makes C functions. A row reads
//!
//! ```ignore
//! /// Bytes that a memtable takes before it is flushed.
//! write_buffer_size: usize = 64 << 20, live,
//!     c(rocksdb_options_set_write_buffer_size(usize),
//!       rocksdb_options_get_write_buffer_size -> usize);
//! ```
//!
//! - The documentation is that of the field and of the C setter.
//! - The name is that of the field and of the option text, and RocksDB's.
//! - The type implements [`Text`](crate::options::text::Text); then comes the default, RocksDB 11.8's.
//! - `live`: a database that is open takes a new value. `fixed`: it does not.
//! - `idle` behind that: the engine does not act on the option yet. The text keeps it, so that no
//!   OPTIONS file loses it, an open database warns in its LOG when it is set, and there are no C
//!   functions for it: a function that forgets its value is worse than none.
//! - `check(path)`: a `fn(&Type) -> Result<()>` that refuses values at open and in `set_options`.
//! - `c(setter(C type), getter -> C type)`: the functions of `rocksdb/c.h`. The getter may be
//!   missing. `text` is a C string to set, and a pointer with a length to get.
//!
//! Adding an option is adding a row. Rows under `memory` have no text: they are objects, or belong
//! to options that are never stored, and say neither `live` nor `fixed`.

use crate::base::status::{Result, Status};
use crate::options::text::{Pairs, Reading, unescape};

/// One option of the options type `S`, as text sees it.
pub struct Row<S> {
    /// RocksDB's name.
    pub name: &'static str,
    /// Whether a database that is open takes a new value.
    pub live: bool,
    /// Whether the engine does not act on it yet.
    pub idle: bool,
    pub(super) write: fn(&S, &mut String),
    /// (options, name as given, path below it, text, how)
    pub(super) parse: fn(&mut S, &str, &str, &str, &Reading) -> Result<()>,
    pub(super) check: fn(&S) -> Result<()>,
}

/// An options type whose rows are known.
pub trait Table: Default + Clone + 'static {
    /// Every option that has a text, in the order in which it is written.
    const ROWS: &'static [Row<Self>];
    /// Older names of rows: (old, new).
    const ALIASES: &'static [(&'static str, &'static str)];
    /// Options of older versions, which are read and forgotten.
    const DEPRECATED: &'static [&'static str];

    /// The options as text: `name=value` and `delimiter` for each that is not empty.
    fn to_text(&self, delimiter: &str) -> String {
        let mut text = String::new();
        write_rows(self, delimiter, false, &mut text);
        text
    }

    /// The text of the option called `name`.
    fn get_text(&self, name: &str) -> Option<String> {
        let row = Self::ROWS.iter().find(|row| row.name == name)?;
        let mut text = String::new();
        (row.write)(self, &mut text);
        Some(text)
    }

    /// The error of the first value that its row's check refuses.
    fn check_rows(&self) -> Result<()> {
        Self::ROWS.iter().try_for_each(|row| (row.check)(self))
    }

    /// Options on which the engine does not act yet, that differ from their defaults: (name, text).
    fn idle_settings(&self) -> Vec<(&'static str, String)> {
        let default = Self::default();
        let text = |options: &Self, row: &Row<Self>| {
            let mut text = String::new();
            (row.write)(options, &mut text);
            text
        };
        let idle = Self::ROWS.iter().filter(|row| row.idle);
        idle.map(|row| (row, text(self, row)))
            .filter(|(row, value)| *value != text(&default, row))
            .map(|(row, value)| (row.name, value))
            .collect()
    }
}

fn write_rows<S: Table>(options: &S, delimiter: &str, empty_too: bool, out: &mut String) {
    for row in S::ROWS {
        let start = out.len();
        out.push_str(row.name);
        out.push('=');
        let value = out.len();
        (row.write)(options, out);
        if out.len() == value && !empty_too {
            out.truncate(start);
        } else {
            out.push_str(delimiter);
        }
    }
}

/// Where a name leads: a row and the path below it, nowhere because it is old, or nowhere.
enum Target<S: 'static> {
    Row(&'static Row<S>, usize),
    Deprecated,
    Unknown,
}

/// The name of the option itself in `option.part`.
fn head(name: &str) -> &str {
    name.split_once('.').map_or(name, |(head, _)| head)
}

fn find<S: Table>(name: &str) -> Target<S> {
    let head = head(name);
    let path_at = name.len().min(head.len() + 1);
    let head = S::ALIASES.iter().find(|(old, _)| *old == head).map_or(head, |(_, new)| new);
    if let Some(row) = S::ROWS.iter().find(|row| row.name == head) {
        return Target::Row(row, path_at);
    }
    if S::DEPRECATED.contains(&head) { Target::Deprecated } else { Target::Unknown }
}

/// Sets the option called `name`, or says that there is none.
fn set_one<S: Table>(options: &mut S, name: &str, text: &str, how: &Reading) -> Result<bool> {
    match find::<S>(name) {
        Target::Deprecated => Ok(true),
        Target::Row(row, _) if how.live_only && !row.live => {
            Err(Status::invalid_argument(format!("Option not changeable: {}", row.name)))
        }
        Target::Row(row, path_at) => {
            let text = if how.escaped { unescape(text) } else { text.to_string() };
            (row.parse)(options, head(name), &name[path_at..], &text, how)?;
            if how.live_only {
                (row.check)(options)?;
            }
            Ok(true)
        }
        Target::Unknown => Ok(false),
    }
}

/// Sets the options that `pairs` names, all or none. Names that lead nowhere are returned.
///
/// Under [`Reading::ignore_unknown`] an option whose value makes no sense keeps its old one, as
/// RocksDB has it: whatever wrote it may know more values.
pub(super) fn set_all<'a, S: Table>(
    options: &mut S,
    pairs: &'a Pairs,
    how: &Reading,
) -> Result<Vec<&'a str>> {
    let mut changed = options.clone();
    let mut unknown = Vec::new();
    for (name, text) in pairs {
        match set_one(&mut changed, name, text, how) {
            Ok(true) => {}
            Ok(false) => unknown.push(name.as_str()),
            Err(_) if how.ignore_unknown => {}
            Err(error) => return Err(error),
        }
    }
    *options = changed;
    Ok(unknown)
}

/// The text of an options type within another: `{a=1;b=2;}`.
pub(super) fn write_nested<S: Table>(options: &S, out: &mut String) {
    out.push('{');
    write_rows(options, ";", true, out);
    out.push('}');
}

/// Sets an options type within another, which is called `name`: as a whole when `path` is empty,
/// else its option `path`.
pub(super) fn parse_nested<S: Table>(
    options: &mut S,
    name: &str,
    path: &str,
    text: &str,
    how: &Reading,
) -> Result<()> {
    let unrecognized =
        |option: &str| Status::invalid_argument(format!("Unrecognized option: {name}.{option}"));
    // What holds for the outer option holds for all within; its escapes are already undone.
    let how = Reading { live_only: false, escaped: false, ..*how };
    if !path.is_empty() {
        return match set_one(options, path, text, &how)? {
            false if !how.ignore_unknown => Err(unrecognized(path)),
            _ => Ok(()),
        };
    }
    let pairs = Pairs::parse(text)?;
    match set_all(options, &pairs, &how)?.first() {
        Some(option) if !how.ignore_unknown => Err(unrecognized(option)),
        _ => Ok(()),
    }
}

/// Makes the struct, its defaults and its rows from a table. See the module's text.
macro_rules! define_options {
    (
        $(#[$meta:meta])*
        struct $Name:ident;
        rows {$(
            $(#[$doc:meta])*
            $field:ident: $type:ty = $default:expr, $change:ident $($idle:ident)?
            $(, check($check:path))? $(, c($($c:tt)*))?;
        )*}
        $(memory {$(
            $(#[$memory_doc:meta])*
            $memory:ident: $memory_type:ty = $memory_default:expr $(, c($($memory_c:tt)*))?;
        )*})?
        $(aliases {$($old:ident => $new:ident;)*})?
        $(deprecated {$($deprecated:ident)*})?
    ) => {
        $(#[$meta])*
        #[derive(Clone)]
        #[allow(non_snake_case, reason = "options are named as in RocksDB")]
        pub struct $Name {
            $($(#[$doc])* pub $field: $type,)*
            $($($(#[$memory_doc])* pub $memory: $memory_type,)*)?
        }

        impl Default for $Name {
            fn default() -> Self {
                $Name {
                    $($field: $default,)*
                    $($($memory: $memory_default,)*)?
                }
            }
        }

        impl std::fmt::Debug for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let text = $crate::options::table::Table::to_text(self, "; ");
                write!(f, "{} {{{text}}}", stringify!($Name))
            }
        }

        $crate::options::table::define_rows! {
            $Name {$($field: $change $($idle)? $(, check($check))?;)*}
            aliases {$($($old => $new;)*)?}
            deprecated {$($($deprecated)*)?}
        }
    };
}
pub(crate) use define_options;

/// The half of [`define_options`] that a struct which is declared elsewhere needs.
macro_rules! define_rows {
    (
        $Name:ident {$($field:ident: $change:ident $($idle:ident)? $(, check($check:path))?;)*}
        aliases {$($old:ident => $new:ident;)*}
        deprecated {$($deprecated:ident)*}
    ) => {
        impl $crate::options::table::Table for $Name {
            const ROWS: &'static [$crate::options::table::Row<Self>] = &[$(
                $crate::options::table::Row {
                    name: stringify!($field),
                    live: $crate::options::table::define_rows!(@live $change),
                    idle: $crate::options::table::define_rows!(@idle $($idle)?),
                    write: |options, out| {
                        $crate::options::text::Text::write(&options.$field, out)
                    },
                    parse: |options, name, path, text, how| {
                        $crate::options::text::Text::parse(
                            &mut options.$field, name, path, text, how,
                        )
                    },
                    check: |_options| {
                        $($check(&_options.$field)?;)?
                        Ok(())
                    },
                },
            )*];
            const ALIASES: &'static [(&'static str, &'static str)] =
                &[$((stringify!($old), stringify!($new)),)*];
            const DEPRECATED: &'static [&'static str] = &[$(stringify!($deprecated),)*];
        }
    };
    (@live live) => { true };
    (@live fixed) => { false };
    (@idle idle) => { true };
    (@idle) => { false };
}
pub(crate) use define_rows;

/// Makes options types nest: their text is `{a=1;b=2;}`.
macro_rules! nested_text {
    ($($Name:ident),*) => {$(
        impl $crate::options::text::Text for $Name {
            fn write(&self, out: &mut String) {
                $crate::options::table::write_nested(self, out);
            }

            fn parse(
                &mut self, name: &str, path: &str, text: &str,
                how: &$crate::options::text::Reading,
            ) -> $crate::base::status::Result<()> {
                $crate::options::table::parse_nested(self, name, path, text, how)
            }
        }
    )*};
}
pub(crate) use nested_text;
