//! Records of logs, each packed as one Zstandard frame with a checksum.

use crate::base::status::{Code, Result, Status, SubCode};
use zstd_safe::zstd_sys::ZSTD_EndDirective::{ZSTD_e_continue, ZSTD_e_end};
use zstd_safe::{CCtx, CParameter, DCtx, InBuffer, OutBuffer, ResetDirective};

/// How much room is made at once for what a record unpacks to.
const STEP: usize = 32 << 10;

fn no_memory() -> Status {
    Status::new(Code::Aborted, "no memory for a log record").with_subcode(SubCode::MemoryLimit)
}

/// Packs records.
pub struct RecordPacker {
    context: CCtx<'static>,
}

impl RecordPacker {
    /// One with the codec's default level.
    pub fn new() -> Result<RecordPacker> {
        let mut context = CCtx::try_create().ok_or_else(no_memory)?;
        context
            .set_parameter(CParameter::ChecksumFlag(true))
            .map_err(|code| Status::io_error(zstd_safe::get_error_name(code)))?;
        Ok(RecordPacker { context })
    }

    /// Replaces `out` by `parts`, one behind the other, packed.
    pub fn pack(&mut self, parts: &[&[u8]], out: &mut Vec<u8>) -> Result<()> {
        let failed = |code| {
            let name = zstd_safe::get_error_name(code);
            Status::io_error(format!("Unexpected WAL compression error: {name}"))
        };
        out.clear();
        let len = parts.iter().fold(0usize, |len, part| len.saturating_add(part.len()));
        out.try_reserve(zstd_safe::compress_bound(len)).map_err(|_| no_memory())?;
        self.context.reset(ResetDirective::SessionOnly).map_err(failed)?;
        let mut target = OutBuffer::around(out);
        for part in parts {
            let mut source = InBuffer::around(part);
            while source.pos < part.len() {
                self.context
                    .compress_stream2(&mut target, &mut source, ZSTD_e_continue)
                    .map_err(failed)?;
            }
        }
        let mut nothing = InBuffer::around(&[]);
        // There is room for the worst case, so that one call does.
        match self.context.compress_stream2(&mut target, &mut nothing, ZSTD_e_end) {
            Ok(0) => Ok(()),
            Ok(_) => Err(Status::io_error("Unexpected WAL compression error: no room")),
            Err(code) => Err(failed(code)),
        }
    }
}

/// Unpacks records.
pub struct RecordUnpacker {
    context: DCtx<'static>,
}

impl RecordUnpacker {
    /// A new one.
    pub fn new() -> Result<RecordUnpacker> {
        Ok(RecordUnpacker { context: DCtx::try_create().ok_or_else(no_memory)? })
    }

    /// Replaces `out` by what `packed` unpacks to. An empty record is packed as nothing.
    ///
    /// Errors: not one whole frame, or one with a wrong checksum; no memory.
    pub fn unpack(&mut self, packed: &[u8], out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        let failed = |code| Status::corruption(zstd_safe::get_error_name(code));
        self.context.reset(ResetDirective::SessionOnly).map_err(failed)?;
        let mut source = InBuffer::around(packed);
        let mut left = 0;
        while source.pos < packed.len() || out.len() == out.capacity() && left > 0 {
            let len = out.len();
            out.try_reserve(STEP.max(len)).map_err(|_| no_memory())?;
            let mut target = OutBuffer::around_pos(out, len);
            left = self.context.decompress_stream(&mut target, &mut source).map_err(failed)?;
        }
        match left {
            0 => Ok(()),
            _ => Err(Status::corruption("a compressed record is not whole")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn what_is_packed_is_unpacked() {
        let mut random = Random::from_env(7);
        let (mut packer, mut unpacker) =
            (RecordPacker::new().unwrap(), RecordUnpacker::new().unwrap());
        let (mut packed, mut out) = (Vec::new(), Vec::new());
        for round in 0..60 {
            let parts: Vec<Vec<u8>> = (0..1 + random.below(4))
                .map(|_| {
                    let magnitude = random.below(18);
                    let len = random.below(1 << magnitude) as usize;
                    let alphabet = 1 + random.below(256);
                    (0..len).map(|_| random.below(alphabet) as u8).collect()
                })
                .collect();
            let slices: Vec<&[u8]> = parts.iter().map(|part| &part[..]).collect();
            packer.pack(&slices, &mut packed).unwrap();
            unpacker.unpack(&packed, &mut out).unwrap();
            assert!(out == parts.concat(), "round {round}");
            // Neither a part of it nor one with a flipped bit is taken for it.
            let cut = random.below(packed.len() as u64) as usize;
            if cut > 0 {
                assert!(unpacker.unpack(&packed[..cut], &mut out).is_err(), "round {round}");
            }
            packed[cut] ^= 1 << random.below(8);
            let damaged = unpacker.unpack(&packed, &mut out);
            assert!(damaged.is_err() || out == parts.concat(), "round {round}");
        }
        unpacker.unpack(&[], &mut out).unwrap();
        assert!(out.is_empty());
    }
}
