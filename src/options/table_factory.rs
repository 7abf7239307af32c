//! [`TableFactory`]: which table format a column family writes, and its options.

use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::options::block_based::BlockBasedTableOptions;
use crate::options::change::set_known;
use crate::options::enums::EncodingType;
use crate::options::table::{Table, define_options};
use crate::options::text::{Pairs, Reading, Text, strip_braces};

/// A table format with its options, which are shared until they are changed.
#[derive(Clone, Debug)]
pub enum TableFactory {
    /// Sorted blocks with an index: the format for all purposes.
    BlockBased(Arc<BlockBasedTableOptions>),
    /// Entries one behind the other, for memory mappings.
    Plain(Arc<PlainTableOptions>),
    /// A cuckoo hash table.
    Cuckoo(Arc<CuckooTableOptions>),
}

impl Default for TableFactory {
    fn default() -> Self {
        BlockBasedTableOptions::default().into()
    }
}

impl From<BlockBasedTableOptions> for TableFactory {
    /// Adjusts the options and makes the block cache that they lack.
    fn from(mut options: BlockBasedTableOptions) -> Self {
        options.sanitize();
        TableFactory::BlockBased(Arc::new(options))
    }
}

impl TableFactory {
    /// The factory called `name`, with the defaults of its options.
    pub fn from_name(name: &str) -> Option<TableFactory> {
        match name {
            "BlockBasedTable" => Some(TableFactory::default()),
            "PlainTable" => Some(TableFactory::Plain(Arc::default())),
            "CuckooTable" => Some(TableFactory::Cuckoo(Arc::default())),
            _ => None,
        }
    }

    /// RocksDB's name.
    pub fn name(&self) -> &'static str {
        match self {
            TableFactory::BlockBased(_) => "BlockBasedTable",
            TableFactory::Plain(_) => "PlainTable",
            TableFactory::Cuckoo(_) => "CuckooTable",
        }
    }

    /// The options of block-based tables, if these are such.
    pub fn block_based(&self) -> Option<&Arc<BlockBasedTableOptions>> {
        match self {
            TableFactory::BlockBased(options) => Some(options),
            _ => None,
        }
    }

    /// The options as text: `name=value` and `delimiter` for each.
    pub(super) fn to_text(&self, delimiter: &str) -> String {
        match self {
            TableFactory::BlockBased(options) => options.to_text(delimiter),
            TableFactory::Plain(options) => options.to_text(delimiter),
            TableFactory::Cuckoo(options) => options.to_text(delimiter),
        }
    }

    /// Sets the options that `pairs` names, all or none.
    pub(super) fn set_options(&mut self, pairs: &Pairs, how: &Reading) -> Result<()> {
        match self {
            TableFactory::BlockBased(options) => {
                let options = Arc::make_mut(options);
                set_known(options, pairs, how)?;
                options.sanitize();
                Ok(())
            }
            TableFactory::Plain(options) => set_known(Arc::make_mut(options), pairs, how),
            TableFactory::Cuckoo(options) => set_known(Arc::make_mut(options), pairs, how),
        }
    }

    /// `table_factory=name` or `={id=name;option=value}`: a new factory.
    fn replace(&mut self, text: &str, how: &Reading) -> Result<()> {
        let mut options = Pairs::default();
        let name = if text.contains('=') {
            options = Pairs::parse(text)?;
            options.remove("id")
        } else {
            Some(strip_braces(text).to_string())
        };
        let mut factory = match name {
            Some(name) => match TableFactory::from_name(&name) {
                Some(factory) => factory,
                // One that this library does not make: RocksDB keeps what it has.
                None => return Ok(()),
            },
            None => self.clone(),
        };
        factory.set_options(&options, how)?;
        *self = factory;
        Ok(())
    }
}

impl Text for TableFactory {
    fn write(&self, out: &mut String) {
        out.push_str(self.name());
    }

    fn parse(&mut self, name: &str, path: &str, text: &str, how: &Reading) -> Result<()> {
        let how = Reading { live_only: false, escaped: false, ..*how };
        if !path.is_empty() {
            let mut pairs = Pairs::default();
            pairs.replace(path, text);
            return self.set_options(&pairs, &how);
        }
        let required = match name {
            "block_based_table_factory" => "BlockBasedTable",
            "plain_table_factory" => "PlainTable",
            _ => return self.replace(text, &how),
        };
        if self.name() != required {
            let text = format!("Cannot modify {} as {name}", self.name());
            return Err(Status::invalid_argument(text));
        }
        self.set_options(&Pairs::parse(text)?, &how)
    }
}

define_options! {
    /// Options of plain tables.
    struct PlainTableOptions;
    rows {
        /// Bytes of every user key; the largest number means that lengths differ.
        user_key_len: u32 = u32::MAX, fixed idle;
        /// Bits of the Bloom filter for each key; 0 means none.
        bloom_bits_per_key: i32 = 10, fixed idle;
        /// Keys for each bucket of the hash table; 0 means binary search.
        hash_table_ratio: f64 = 0.75, fixed idle;
        /// Keys for each index entry of a bucket.
        index_sparseness: usize = 16, fixed idle;
        /// Bytes of the huge pages that the index uses; 0 means none.
        huge_page_tlb_size: usize = 0, fixed idle;
        /// How keys are stored.
        encoding_type: EncodingType = EncodingType::Plain, fixed idle;
        /// Read without an index, from front to end.
        full_scan_mode: bool = false, fixed idle;
        /// Store the index and the Bloom filter in the file.
        store_index_in_file: bool = false, fixed idle;
    }
}

define_options! {
    /// Options of cuckoo tables.
    struct CuckooTableOptions;
    rows {
        /// The part of buckets that is used.
        hash_table_ratio: f64 = 0.9, fixed idle;
        /// Steps of the search for a free bucket.
        max_search_depth: u32 = 100, fixed idle;
        /// Buckets that are probed one behind the other.
        cuckoo_block_size: u32 = 5, fixed idle;
        /// Take the first eight bytes of a key as its first hash.
        identity_as_first_hash: bool = false, fixed idle;
        /// Take the remainder of hashes instead of their low bits.
        use_module_hash: bool = true, fixed idle;
    }
}
