//! Compressed records (`perf record -z`): one zstd stream over all of them.
//!
//! Source: tools/perf/util/zstd.c, tools/perf/util/session.c (perf_session__process_compressed_event).

use zstd_safe::{DCtx, InBuffer, OutBuffer};

/// The stream. Its memory is bounded by zstd's limit on windows (128 MiB, taken only where the stream asks for it).
#[derive(Default)]
pub struct Inflate(Option<DCtx<'static>>);

impl Inflate {
    /// Inflate from `from` into `to`: how much was read and written. Nothing of both: what there is has been inflated.
    pub fn step(&mut self, from: &[u8], to: &mut [u8]) -> Result<(usize, usize), String> {
        if self.0.is_none() {
            self.0 = DCtx::try_create();
        }
        let Some(stream) = &mut self.0 else { return Err("no memory for zstd".into()) };
        let mut input = InBuffer::around(from);
        let mut output = OutBuffer::around(to);
        match stream.decompress_stream(&mut output, &mut input) {
            Ok(_) => Ok((input.pos(), output.pos())),
            Err(code) => Err(zstd_safe::get_error_name(code).into()),
        }
    }
}
