//! Kernel threads that the kernel binds to a CPU, as their names say.

/// CPU a kernel thread is bound to by its name alone (`ksoftirqd/3`, `kworker/3:1H`, `migration/3`): what traces without
/// masks tell. `kworker/u8:1` is unbound. None when the name does not say.
///
/// Source: the kthread_create_on_cpu and smpboot name formats ("%s/%u"), kernel/workqueue.c (worker names).
pub fn cpu_of_kernel_thread(name: &str) -> Option<i16> {
    const PER_CPU: [&str; 9] =
        ["ksoftirqd", "migration", "cpuhp", "kworker", "idle_inject", "irq_work", "rcuc", "ktimers", "watchdog"];
    let (stem, rest) = name.split_once('/')?;
    if !PER_CPU.contains(&stem) {
        return None;
    }
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    let tail = &rest[digits.len()..];
    let whole = if stem == "kworker" { tail.starts_with(':') } else { tail.is_empty() };
    if whole { digits.parse().ok() } else { None }
}
