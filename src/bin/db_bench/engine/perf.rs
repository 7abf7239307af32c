//! The library's perf context of one thread.

use super::{Engine, Object};
use crate::failure::Result;
use std::ffi::c_int;

/// Counts from when it is made.
pub struct PerfContext<'a> {
    engine: &'a Engine,
    context: Object,
}

/// RocksDB's level at which nothing is counted.
const DISABLED: c_int = 1;

impl<'a> PerfContext<'a> {
    /// Starts to count on this thread, unless the level says otherwise.
    pub fn start(engine: &'a Engine, level: c_int) -> Result<Option<PerfContext<'a>>> {
        if level <= DISABLED {
            return Ok(None);
        }
        let f = &engine.functions;
        let (set, create) = (f.set_perf_level()?, f.perfcontext_create()?);
        let reset = f.perfcontext_reset()?;
        // Looked up here so that nothing can fail later.
        f.perfcontext_report()?;
        f.perfcontext_destroy()?;
        // SAFETY: functions of this thread's own state, and the object that one of them made.
        let context = unsafe {
            set(level);
            let context = create();
            reset(context);
            context
        };
        Ok(Some(PerfContext { engine, context }))
    }

    /// What was counted, without zeros.
    pub fn report(&self) -> Result<String> {
        let report = self.engine.functions.perfcontext_report()?;
        // SAFETY: a live object of this library.
        Ok(self.engine.take_text(unsafe { report(self.context, 1) }))
    }
}

impl Drop for PerfContext<'_> {
    fn drop(&mut self) {
        if let Ok(destroy) = self.engine.functions.perfcontext_destroy() {
            // SAFETY: destroyed once.
            unsafe { destroy(self.context) };
        }
    }
}
