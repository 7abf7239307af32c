//! [`DbPath`]: the folders of tables, and which of them the files of a level go to.

use std::path::PathBuf;

use crate::options::cf::CfOptions;

/// The most folders that a database may have.
pub(super) const MAX_PATHS: usize = 4;

/// A folder for tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbPath {
    /// The folder.
    pub path: PathBuf,
    /// About how many bytes of tables it takes, the newest first; the last folder takes the rest.
    pub target_size: u64,
}

impl CfOptions {
    /// The index in `cf_paths` of the folder that compactions write files of `level` to: levels are
    /// laid into the folders in order, each by the size that it may have, as long as the folder has
    /// room for the whole level. (With dynamic level sizes there is but one folder.)
    pub fn path_of_level(&self, level: usize) -> u32 {
        let Some(last) = self.cf_paths.len().checked_sub(1) else { return 0 };
        // Level 0 takes about as much as level 1.
        let mut bytes = self.max_bytes_for_level_base;
        let mut room = self.cf_paths[0].target_size;
        let (mut path, mut current) = (0, 0);
        while path < last {
            if bytes > room {
                path += 1;
                room = self.cf_paths[path].target_size;
            } else if current == level {
                break;
            } else {
                room -= bytes;
                if current > 0 {
                    bytes = self.next_level_bytes(bytes, current);
                }
                current += 1;
            }
        }
        // Checked at open.
        u32::try_from(path).unwrap_or(0)
    }

    /// The bytes of the level behind `level`, which has `bytes`.
    fn next_level_bytes(&self, bytes: u64, level: usize) -> u64 {
        let additional = &self.max_bytes_for_level_multiplier_additional;
        let factor = additional.get(level).copied().unwrap_or(1);
        (bytes as f64 * self.max_bytes_for_level_multiplier * f64::from(factor)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_fill_the_folders_in_order() {
        let mut options = CfOptions {
            max_bytes_for_level_base: 100,
            max_bytes_for_level_multiplier: 10.0,
            ..CfOptions::default()
        };
        let paths =
            |options: &CfOptions| (0..6).map(|l| options.path_of_level(l)).collect::<Vec<_>>();
        assert_eq!(paths(&options), [0; 6]);
        let path = |target_size| DbPath { path: PathBuf::new(), target_size };
        options.cf_paths = vec![path(0)];
        assert_eq!(paths(&options), [0; 6]);
        // Levels 0 and 1 in the first, level 2 in the second, the rest in the last.
        options.cf_paths = vec![path(250), path(1500), path(1)];
        assert_eq!(paths(&options), [0, 0, 1, 2, 2, 2]);
        options.cf_paths = vec![path(99), path(1200), path(20_000), path(0)];
        assert_eq!(paths(&options), [1, 1, 1, 2, 3, 3]);
        options.max_bytes_for_level_multiplier_additional = vec![1, 1, 50];
        assert_eq!(paths(&options), [1, 1, 1, 3, 3, 3]);
    }
}
