//! The counters of a trace at regular instants.

use wastenot_schemas::NullSink;

use crate::counters::{Counters, FinishedEpisode};
use crate::error::CheckError;
use crate::online::OnlineCheck;
use crate::options::{BadOption, Options};
use crate::source::BatchReader;
use crate::walk::read_inputs;

/// Instants at most: a damaged stamp makes a long time of a short one.
const MOST: i64 = 100_000;

/// Takes the counters at an instant and the episodes that ended since the one before.
pub type StepVisitor<'a> = dyn FnMut(Counters, Vec<FinishedEpisode>) -> Result<(), CheckError> + 'a;

/// Every so many ns from the start of a trace.
pub struct CounterSteps {
    step_ns: i64,
    next_ns: Option<i64>,
    passed: i64,
}

impl CounterSteps {
    /// # Errors
    /// A step that is not above zero.
    pub fn new(step_ns: i64) -> Result<Self, CheckError> {
        if step_ns <= 0 {
            return Err(bad(format!("step: {step_ns} ns; it must be above zero")));
        }
        Ok(Self { step_ns, next_ns: None, passed: 0 })
    }

    /// Time passes up to an event at `ts_ns`: visit the instants on the way.
    #[inline]
    pub fn pass(&mut self, check: &mut OnlineCheck, ts_ns: i64, visit: &mut StepVisitor<'_>) -> Result<(), CheckError> {
        let mut next_ns = *self.next_ns.get_or_insert_with(|| check.start_ns().unwrap_or(ts_ns) + self.step_ns);
        while next_ns <= ts_ns && next_ns <= check.last_ns() {
            self.passed += 1;
            if self.passed > MOST {
                return Err(bad(format!("step: {} ns makes more than {MOST} steps of this trace", self.step_ns)));
            }
            check.reach(next_ns);
            let counters = check.counters();
            visit(counters, check.take_finished())?;
            next_ns += self.step_ns;
        }
        self.next_ns = Some(next_ns);
        Ok(())
    }
}

fn bad(why: String) -> CheckError {
    CheckError::Option(BadOption(why))
}

/// The counters of a whole trace every `step_ns`, and at its end. `inputs` as for [`crate::check`].
pub fn counters_over_time(
    inputs: Vec<(String, BatchReader)>,
    options: &Options,
    step_ns: i64,
    visit: &mut StepVisitor<'_>,
) -> Result<(), CheckError> {
    let mut steps = CounterSteps::new(step_ns)?;
    let (mut source, entities) = read_inputs(inputs)?;
    let mut check = OnlineCheck::of(entities, options)?.forgetting_threads()?;
    check.walk_seeing(&mut source, &mut NullSink, &mut |check, ts_ns| steps.pass(check, ts_ns, visit))?;
    end(check, None, visit)
}

/// The trace ends: visit the counters of all of it.
pub fn end(mut check: OnlineCheck, end_ns: Option<i64>, visit: &mut StepVisitor<'_>) -> Result<(), CheckError> {
    check.end(end_ns, &mut NullSink)?;
    let counters = check.counters();
    visit(counters, check.take_finished())
}
