//! Busy processes with known masks: the correct verdict about them is known exactly.

use super::processes::{start_busy, wait_for_stop};
use crate::Settings;
use crate::work::{Shared, pin, reap, sleep_unless_stopped};
use std::io;
use std::time::Duration;

/// How long they stay pinned, and how long released.
const ROUND: Duration = Duration::from_millis(250);

pub fn pinned(shared: &Shared, settings: &Settings, threads: usize) -> io::Result<()> {
    pin(0, &settings.cpus[..1])?; // children inherit it
    let children = start_busy("pinned", shared, threads)?;
    wait_for_stop(shared);
    reap(&children);
    Ok(())
}

pub fn released(shared: &Shared, settings: &Settings, threads: usize) -> io::Result<()> {
    pin(0, &settings.cpus[..1])?;
    let children = start_busy("released", shared, threads)?;
    while !shared.stopped() {
        for mask in [&settings.cpus[..1], &settings.cpus[..]] {
            for &pid in &children {
                pin(pid, mask)?;
            }
            sleep_unless_stopped(shared, ROUND);
        }
    }
    reap(&children);
    Ok(())
}
