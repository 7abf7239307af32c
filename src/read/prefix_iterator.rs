//! [`PrefixIterator`]: seeks that may pass over sources without the prefix that is sought.

use crate::base::iterator::InternalIterator;
use crate::plug::prefix_seek::PrefixSeek;

/// A cursor that can seek without being in total order.
pub trait PrefixIterator: InternalIterator {
    /// Like `seek`, except that keys that `seek` need not show may be missing from there on, until
    /// the next positioning call that is not `next`.
    fn seek_prefix(&mut self, target: &[u8], seek: &PrefixSeek);
}
