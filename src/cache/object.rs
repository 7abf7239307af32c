//! [`CachedObject`]: something decoded that the cache keeps in place of a block's bytes.

use super::block::CachedBlock;
use crate::base::sync::Arc;
use std::any::Any;
use std::ops::Deref;
use std::ptr::NonNull;

/// A block that holds a `T`, kept in memory by this.
pub struct CachedObject<T> {
    /// Points into `block`.
    object: NonNull<T>,
    block: Arc<CachedBlock>,
}

// SAFETY: it is a shared reference to a `T` with the block that keeps it alive.
unsafe impl<T: Send + Sync> Send for CachedObject<T> {}
// SAFETY: as for `Send`.
unsafe impl<T: Send + Sync> Sync for CachedObject<T> {}

impl<T: Any + Send + Sync> CachedObject<T> {
    /// The object in `block`, or `None` if that holds none, or another type.
    pub fn of(block: Arc<CachedBlock>) -> Option<CachedObject<T>> {
        let object = NonNull::from(block.object()?.downcast_ref::<T>()?);
        Some(CachedObject { object, block })
    }
}

impl<T> Clone for CachedObject<T> {
    fn clone(&self) -> CachedObject<T> {
        CachedObject { object: self.object, block: self.block.clone() }
    }
}

impl<T> Deref for CachedObject<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the object is in a box of `block`, which is shared, so that it is neither moved
        // nor changed while `block` lives.
        unsafe { self.object.as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_type_that_went_in_comes_out() {
        let block = Arc::new(CachedBlock::from_object(Box::new(String::from("text")), 9));
        assert_eq!(block.charge(), 9);
        assert!(CachedObject::<u32>::of(block.clone()).is_none());
        let object = CachedObject::<String>::of(block).unwrap();
        assert_eq!(*object.clone(), "text");
        let bytes = Arc::new(CachedBlock::from(vec![1]));
        assert!(CachedObject::<String>::of(bytes).is_none());
    }
}
