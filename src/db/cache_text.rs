//! The properties about what is in the block cache.

use super::properties::Probe;
use crate::base::sync::Arc;
use crate::cache::{Cache, EntryRole, EntryStats};
use crate::table::cache_role;
use std::fmt::Write as _;
use std::time::Duration;

/// By a look through the cache that is at most a few seconds old.
pub(super) fn entry_stats(probe: &Probe<'_>) -> Option<String> {
    text(probe, Duration::from_secs(10), 10)
}

/// By one that is some minutes old, if there is such a one.
pub(super) fn fast_entry_stats(probe: &Probe<'_>) -> Option<String> {
    text(probe, Duration::from_secs(180), 500)
}

fn text(probe: &Probe<'_>, max_age: Duration, factor: u32) -> Option<String> {
    let cache = probe.family.options.table_factory.block_based()?.block_cache.as_ref()?;
    Some(write(cache, &cache.entry_stats(max_age, factor, cache_role)))
}

fn write(cache: &Arc<Cache>, stats: &EntryStats) -> String {
    let mut out = format!(
        "Block cache LRUCache@{:p}#{} capacity: {} seed: 0 usage: {} table_size: {} \
         occupancy: {} collections: {} last_copies: {} last_secs: {} secs_since: {}\n\
         Block cache entry stats(count,size,portion):",
        Arc::as_ptr(cache),
        std::process::id(),
        human_bytes(stats.capacity as u64),
        human_bytes(stats.usage as u64),
        stats.table_size,
        stats.occupancy,
        stats.collections,
        stats.copies,
        general(stats.took.as_micros() as f64 / 1e6),
        stats.ended.elapsed().as_secs()
    );
    for (role, name) in EntryRole::NAMES {
        let (count, charge) = stats.of(role);
        if count > 0 {
            let portion = general(100.0 * charge as f64 / stats.capacity as f64);
            let _ = write!(out, " {name}({count},{},{portion}%)", human_bytes(charge));
        }
    }
    out + "\n"
}

fn human_bytes(bytes: u64) -> String {
    let (mut size, mut unit) = (bytes as f64 / 1024.0, 0);
    while size >= 1024.0 && unit < 3 {
        size /= 1024.0;
        unit += 1;
    }
    format!("{size:.2} {}", ["KB", "MB", "GB", "TB"][unit])
}

/// A number of six digits at most, as C++ streams write it.
fn general(number: f64) -> String {
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    let scientific = format!("{number:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>().unwrap_or(0) {
        exponent @ -4..=5 => trimmed(&format!("{number:.*}", (5 - exponent) as usize)),
        exponent => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::db_tests::TestDb;
    use crate::options::{BlockBasedTableOptions, TableFactory};
    use crate::plug::filter_policy::FilterPolicy;

    #[test]
    fn numbers_are_written_as_by_streams() {
        let pairs = [
            (0.0, "0"),
            (2.1e-5, "2.1e-05"),
            (0.0125, "0.0125"),
            (100.0 / 3.0, "33.3333"),
            (123456.7, "123457"),
            (1234567.0, "1.23457e+06"),
        ];
        pairs.iter().for_each(|(number, text)| assert_eq!(general(*number), *text));
        assert_eq!(human_bytes(32 << 20), "32.00 MB");
        assert_eq!(human_bytes(100), "0.10 KB");
    }

    #[test]
    fn entries_are_told_by_role() {
        let mut test = TestDb::new();
        let cache = Cache::lru(1 << 20, 0, false, 0.0);
        let table = BlockBasedTableOptions {
            block_cache: Some(cache.clone()),
            cache_index_and_filter_blocks: true,
            filter_policy: Some(FilterPolicy::bloom(10.0)),
            ..Default::default()
        };
        test.cf.table_factory = TableFactory::from(table);
        test.try_open().unwrap();
        test.put("a", "1").unwrap();
        test.flush();
        test.get("a");
        let text = |name| test.db().property(test.family(0), name).unwrap();
        let stats = text("rocksdb.block-cache-entry-stats");
        let head = format!("Block cache LRUCache@{:p}#", Arc::as_ptr(&cache));
        assert!(stats.starts_with(&head), "{stats}");
        assert!(stats.contains(" capacity: 1.00 MB seed: 0 usage: "), "{stats}");
        assert!(stats.contains(" occupancy: 3 collections: 1 last_copies: 0 last_secs: "));
        let (_, roles) = stats.split_once('\n').unwrap();
        let roles: Vec<&str> = roles.split(' ').collect();
        assert_eq!(roles[..5], ["Block", "cache", "entry", "stats(count,size,portion):", roles[4]]);
        assert!(roles[4].starts_with("DataBlock(1,"), "{stats}");
        assert!(stats.contains(" FilterBlock(1,") && stats.contains(" IndexBlock(1,"), "{stats}");
        assert!(stats.ends_with("%)\n"), "{stats}");
        let again = text("rocksdb.fast-block-cache-entry-stats");
        assert!(again.contains(" collections: 1 last_copies: 1 "), "{again}");
        let fresh = cache.entry_stats(Duration::ZERO, 0, cache_role);
        assert_eq!(fresh.collections, 2);
    }
}
