//! The merge operators that RocksDB brings along, under its names.

mod bytes_xor;
mod max;
mod put;
mod sort_list;
mod string_append;
mod uint64_add;

pub use self::bytes_xor::BytesXor;
pub use self::max::Max;
pub use self::put::Put;
pub use self::sort_list::SortList;
pub use self::string_append::StringAppend;
pub use self::uint64_add::Uint64Add;

use super::merge_operator::MergeOperator;
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;

/// The operator that RocksDB knows by the name or nickname `id`, with these options of its own
/// (name, value); `None` if there is none.
pub fn from_id(id: &str, options: &[(String, String)]) -> Result<Option<Arc<dyn MergeOperator>>> {
    let mut delimiter = ",".to_string();
    let appends = matches!(
        id,
        StringAppend::NAME
            | StringAppend::NICKNAME
            | StringAppend::TEST_NAME
            | StringAppend::TEST_NICKNAME
    );
    for (name, value) in options {
        match &name[..] {
            "delimiter" if appends => delimiter.clone_from(value),
            _ => return Err(Status::invalid_argument(format!("Could not find option: {name}"))),
        }
    }
    Ok(Some(match id {
        StringAppend::NAME | StringAppend::NICKNAME => Arc::new(StringAppend::new(delimiter)),
        StringAppend::TEST_NAME | StringAppend::TEST_NICKNAME => {
            Arc::new(StringAppend::for_tests(delimiter))
        }
        SortList::NAME | SortList::NICKNAME => Arc::new(SortList),
        BytesXor::NAME | BytesXor::NICKNAME => Arc::new(BytesXor),
        Uint64Add::NAME | Uint64Add::NICKNAME => Arc::new(Uint64Add),
        Max::NAME | Max::NICKNAME => Arc::new(Max),
        // The second nickname is that of an older class which does the same.
        Put::NAME | Put::NICKNAME | "put_v1" => Arc::new(Put),
        _ => return Ok(None),
    }))
}

#[cfg(test)]
mod tests;
