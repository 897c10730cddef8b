//! What a sched_ext scheduler did with the threads that waited: where each was, which CPUs asked for one in vain, which were kicked.
//! As `balancer_log`, kept while waste is under way.

use std::collections::VecDeque;

use super::realtime_runs::{MostlyRan, RealtimeRuns};
use crate::fast_hash::FastMap;
use crate::idle_wait_pair::IdleWaitPair;
use crate::threads::Utid;
use crate::topology::CpuIx;
use wastenot_schemas::{ext_place, ext_step};

/// Entries kept of each kind, per thread and CPU; of more, the first are dropped.
const KEPT: usize = 2048;

/// What a CPU got before a thread was in a queue is asked for so long, ns.
const REMEMBERED_NS: i64 = 1_000_000_000;

/// Where a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtPlace {
    pub t: i64,
    /// When the thread ran, or was no longer runnable.
    pub until: i64,
    pub event: i64,
    /// A code of `ext_place`.
    pub place: u8,
    /// Number of the dispatch queue.
    pub dsq: i64,
    /// CPU of a local queue.
    pub queue: Option<CpuIx>,
    /// A code of `ext_step`: what put it there.
    pub step: u8,
    /// Cgroup whose threads the scheduler schedules, by the kernel's number; 0: it is that of all threads.
    pub scheduler: i64,
    /// As select_cpu placed it, the kernel's mask of idle CPUs had one that it may use; None: not recorded.
    pub shown_idle: Option<bool>,
    /// When it waited there: a thread that is put into a queue while it runs still has its CPU. `i64::MAX`: it has it yet.
    pub waits_from: i64,
    /// The CPU that took it from there began to look for a thread after this time; `i64::MIN`: not known, or it was not taken.
    pub taken_after: i64,
}

/// A dispatch queue: the cgroup of its scheduler (0: all threads), and its number, which other schedulers may have given as well.
pub type ExtQueueId = (i64, i64);

/// The scheduler of all threads.
pub const OF_ALL: i64 = 0;

impl ExtPlace {
    /// The queue.
    pub fn queue_id(&self) -> ExtQueueId {
        (self.scheduler, self.dsq)
    }

    /// In a dispatch queue from which more CPUs than one can take.
    pub fn is_a_queue_for_all(&self) -> bool {
        !matches!(self.place, ext_place::LOCAL | ext_place::HELD | ext_place::KERNEL)
    }
}

/// A CPU did something at a time, as an event says.
type Noted = (i64, i64);

/// A CPU asked for a thread and got none.
#[derive(Clone, Debug)]
struct VainSearch {
    t: i64,
    until: i64,
    event: i64,
    /// Shared queues with threads that wait and that it may run, and how many.
    left: Vec<(ExtQueueId, u32)>,
}

impl VainSearch {
    /// It left more threads of the queue of that place than `taken`.
    fn left_more_of(&self, place: &ExtPlace, taken: u32) -> bool {
        self.left.iter().any(|&(of, threads)| of == place.queue_id() && threads > taken)
    }
}

/// The scheduler of a cgroup was seen to have leave to use a CPU, or none.
#[derive(Clone, Copy, Debug)]
struct Access {
    t: i64,
    event: i64,
    may_use: bool,
}

/// What leave a scheduler had to use a CPU.
#[derive(Clone, Copy, Debug)]
struct Grant {
    /// Throughout, and no other scheduler that may be one above it was bypassed.
    known: bool,
    /// None for most of the time: the event that says so, and whether that is certain of all of it.
    not_granted: Option<(i64, bool)>,
}

/// The kernel bypasses a scheduler.
#[derive(Clone, Debug, Default)]
struct Bypass {
    /// How often that has begun and not ended, and since when.
    depth: u32,
    since: Option<Noted>,
    /// The times before: from, until, and the event that began it.
    before: VecDeque<(i64, i64, i64)>,
    ending: Ending,
}

/// How far the end of a scheduler has come. The kernel bypasses a scheduler of a cgroup as it ends it, and does not cease to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ending {
    #[default]
    No,
    Begun,
    Bypassed,
}

impl Bypass {
    /// It begins or ceases; whether it has ceased.
    fn change(&mut self, begins: bool, t: i64, event: i64) -> bool {
        if begins {
            if self.ending == Ending::Bypassed {
                self.end(t); // the next scheduler of the same cgroup
            } else if self.ending == Ending::Begun {
                self.ending = Ending::Bypassed;
            }
            self.depth += 1;
            self.since.get_or_insert((t, event));
            return false;
        }
        self.depth = self.depth.saturating_sub(1);
        let ceases = self.depth == 0 && self.since.is_some();
        if ceases {
            self.end(t);
        }
        ceases
    }

    /// Its scheduler is no more, or bypassed no longer.
    fn end(&mut self, t: i64) {
        if let Some((from, begun)) = self.since.take() {
            push(&mut self.before, (from, t, begun), true);
        }
        (self.depth, self.ending) = (0, Ending::No);
    }

    /// It was bypassed for a part of a time.
    fn touches(&self, [from, to]: [i64; 2]) -> bool {
        self.since.is_some_and(|(since, _)| since < to) || self.before.iter().any(|b| b.0 < to && from < b.1)
    }

    /// The event by which it was bypassed at a time.
    fn at(&self, t: i64) -> Option<i64> {
        let since = self.since.filter(|(from, _)| *from <= t).map(|(_, event)| event);
        since.or_else(|| self.before.iter().find(|(from, to, _)| *from <= t && t < *to).map(|b| b.2))
    }

    /// When it began and ceased.
    fn changes(&self) -> impl Iterator<Item = i64> + '_ {
        self.before.iter().flat_map(|&(from, to, _)| [from, to]).chain(self.since.map(|(from, _)| from))
    }
}

/// The scheduler kicked the idle CPU while a thread waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtKick {
    pub event: i64,
    /// The thread had been in the queue for longer than it was afterwards.
    pub is_late: bool,
    /// The kernel certainly sent it: it drops those of a cgroup's scheduler to a CPU that it has not got, and whose they are is not recorded.
    pub counts: bool,
}

/// The events that decided about a stay of a thread: what put it where it was, and by what the kernel bypassed the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExtDecision {
    put_by: Option<i64>,
    bypassed_by: Option<i64>,
}

/// Another scheduler took charge, or none.
#[derive(Clone, Copy, Debug)]
struct Change {
    t: i64,
    in_charge: bool,
}

/// Why a thread of a sched_ext scheduler and an idle CPU were beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtWait {
    /// Where the thread was for most of the time.
    pub place: ExtPlace,
    /// All that the scheduler decides is recorded, so that what is not there did not happen.
    pub recorded: bool,
    /// The idle CPU asked for a thread while this one was there, and got none; whether it was certainly still in the queue. (A CPU that
    /// takes a thread from there waits for the lock of the CPU where that waited, and only then is the thread seen to move.)
    pub searched: Option<(i64, bool)>,
    /// It had asked shortly before this one was there, and got none of those that waited in the same queue.
    pub searched_before: Option<i64>,
    /// The scheduler kicked the idle CPU meanwhile: the first time.
    pub kicked: Option<ExtKick>,
    /// A real-time or deadline thread had the CPU of the local queue for most of the time.
    pub realtime: Option<i64>,
    /// The kernel bypassed the scheduler.
    pub bypassed: Option<i64>,
    /// The scheduler, of a cgroup, had no leave to use the idle CPU: the event that says so, and whether it certainly had none all the time.
    pub not_granted: Option<(i64, bool)>,
}

impl ExtWait {
    /// The thread was in a dispatch queue from which more CPUs than one can take.
    pub fn is_in_a_queue_for_all(&self) -> bool {
        self.place.is_a_queue_for_all()
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct ExtLog {
    /// All that a scheduler decides is recorded.
    pub recorded: bool,
    /// A scheduler of a cgroup was seen.
    of_cgroups: bool,
    /// It is recorded which threads it has: earlier recorders did not.
    knows_schedulers: bool,
    /// By tid: at that time the scheduler of that cgroup puts the thread somewhere.
    announced: FastMap<i32, (i64, i64)>,
    /// By tid, `ExtPlace::shown_idle` of where select_cpu puts it.
    shown_idle: FastMap<i32, bool>,
    /// By cgroup and CPU, whether the cgroup's scheduler may use the CPU.
    accesses: FastMap<(i64, CpuIx), VecDeque<Access>>,
    /// By the thread's number.
    places: FastMap<u32, VecDeque<ExtPlace>>,
    /// Threads in queues for all by their numbers, and the queue.
    in_queues_for_all: FastMap<u32, (Utid, ExtQueueId)>,
    /// By CPU.
    searches: Vec<VecDeque<VainSearch>>,
    /// By CPU, when it was last seen to do something that is no part of taking a thread.
    acted: Vec<i64>,
    kicks: Vec<VecDeque<Noted>>,
    changes: VecDeque<Change>,
    /// By CPU: up to when kicks, and questions in vain, are no longer kept though a core was wasted.
    dropped_until: Vec<i64>,
    /// Records were lost up to then.
    lost_until: i64,
    /// By the scheduler's cgroup.
    bypasses: FastMap<i64, Bypass>,
    /// That the kernel begins to end one is recorded (from 7.3 on).
    says_ends: bool,
}

impl ExtLog {
    /// A log of so many CPUs.
    pub fn new(n: usize) -> Self {
        let (searches, kicks) = (vec![VecDeque::new(); n], vec![VecDeque::new(); n]);
        let (acted, dropped_until) = (vec![i64::MIN; n], vec![i64::MIN; n]);
        Self { searches, kicks, acted, dropped_until, lost_until: i64::MIN, ..Self::default() }
    }

    /// The thread is somewhere else from now on, as that CPU says. A move on its way keeps what decided it.
    pub fn placed(&mut self, utid: Utid, number: u32, mut place: ExtPlace, by: Option<CpuIx>, wasting: bool) {
        let on_its_way = place.step == ext_step::MOVE;
        if place.is_a_queue_for_all() {
            self.in_queues_for_all.insert(number, (utid, place.queue_id()));
        } else {
            self.in_queues_for_all.remove(&number);
        }
        let places = self.places.entry(number).or_default();
        if on_its_way && let Some(last) = places.back().filter(|last| last.queue == place.queue) {
            (place.step, place.shown_idle) = (last.step, last.shown_idle);
        }
        if let Some(by) = by.map(|cpu| &mut self.acted[cpu as usize]) {
            if let Some(last) = places.back_mut().filter(|last| last.until > place.t) {
                last.taken_after = last.taken_after.max(*by);
            }
            *by = place.t;
        }
        push(places, place, wasting);
    }

    /// Threads that are in queues for all: number, utid and the queue.
    pub fn in_queues_for_all(&self) -> impl Iterator<Item = (u32, Utid, ExtQueueId)> + '_ {
        self.in_queues_for_all.iter().map(|(number, (utid, queue))| (*number, *utid, *queue))
    }

    /// A CPU asked for a thread and got none; `left`: shared queues with threads that wait and that it may run, and how many.
    pub fn searched(
        &mut self,
        cpu: CpuIx,
        [t, until]: [i64; 2],
        event: i64,
        left: Vec<(ExtQueueId, u32)>,
        wasting: bool,
    ) {
        if let Some(dropped) = push(&mut self.searches[cpu as usize], VainSearch { t, until, event, left }, wasting) {
            self.dropped(cpu, dropped.t);
        }
        self.acted[cpu as usize] = t;
    }

    /// The thread runs on that CPU, or ceases to be runnable there: it is in no queue.
    #[inline]
    pub fn left_queue(&mut self, number: u32, t: i64, cpu: CpuIx) {
        self.in_queues_for_all.remove(&number);
        if let Some(last) = self.places.get_mut(&number).and_then(VecDeque::back_mut).filter(|last| last.until > t) {
            last.until = t;
            last.taken_after = last.taken_after.max(self.acted[cpu as usize]);
        }
    }

    /// The thread has left its CPU and waits.
    #[inline]
    pub fn left_cpu(&mut self, number: u32, t: i64) {
        if let Some(last) = self.places.get_mut(&number).and_then(VecDeque::back_mut) {
            last.waits_from = last.waits_from.min(t);
        }
    }

    /// A CPU switched to another thread.
    pub fn switched(&mut self, cpu: CpuIx, t: i64) {
        self.acted[cpu as usize] = t;
    }

    /// The scheduler kicked a CPU.
    pub fn kicked(&mut self, cpu: CpuIx, t: i64, event: i64, wasting: bool) {
        if let Some((dropped, _)) = push(&mut self.kicks[cpu as usize], (t, event), wasting) {
            self.dropped(cpu, dropped);
        }
    }

    fn dropped(&mut self, cpu: CpuIx, t: i64) {
        let until = &mut self.dropped_until[cpu as usize];
        *until = t.max(*until);
    }

    /// A scheduler of a cgroup is there; whether it is recorded which threads it has.
    pub fn scheduler_of_cgroup(&mut self, threads_recorded: bool) {
        self.of_cgroups = true;
        self.knows_schedulers |= threads_recorded;
    }

    /// Where that thread is put next, at the same time, is decided by the scheduler of a cgroup.
    pub fn announced(&mut self, tid: i32, t: i64, cgroup: i64) {
        self.announced.insert(tid, (t, cgroup));
    }

    /// Whether the kernel showed a CPU as idle that a thread may use, as select_cpu placed it.
    pub fn showed(&mut self, tid: i32, idle: bool) {
        self.shown_idle.insert(tid, idle);
    }

    /// Of the placement of a thread by a step; asked once.
    pub fn was_shown_idle(&mut self, tid: i32, step: u8) -> Option<bool> {
        self.shown_idle.remove(&tid).filter(|_| step == ext_step::SELECT_CPU)
    }

    /// The scheduler that puts a thread somewhere at a time, by its cgroup.
    pub fn scheduler_of(&mut self, tid: i32, t: i64) -> i64 {
        if self.announced.is_empty() {
            return OF_ALL;
        }
        self.announced.remove(&tid).filter(|(at, _)| *at == t).map_or(OF_ALL, |(_, cgroup)| cgroup)
    }

    /// Of each thread that waits it is known which scheduler has it.
    pub fn knows_schedulers(&self) -> bool {
        self.knows_schedulers || !self.of_cgroups
    }

    /// Whether a cgroup's scheduler may use a CPU was seen.
    pub fn access(&mut self, scheduler: i64, cpu: CpuIx, t: i64, event: i64, may_use: bool, wasting: bool) {
        let accesses = self.accesses.entry((scheduler, cpu)).or_default();
        if accesses.back().is_none_or(|last| last.may_use != may_use || last.t < self.lost_until) {
            push(accesses, Access { t, event, may_use }, wasting);
        }
    }

    /// What leave a cgroup's scheduler had to use a CPU in a time. Before it was first seen it is taken to have been as it was then.
    fn grant(&self, scheduler: i64, cpu: CpuIx, [from, to]: [i64; 2]) -> Grant {
        let mut grant = Grant { known: true, not_granted: None };
        if scheduler == OF_ALL {
            return grant;
        }
        let none = VecDeque::new();
        let accesses = self.accesses.get(&(scheduler, cpu)).unwrap_or(&none);
        let first = accesses.partition_point(|access| access.t <= from).saturating_sub(1);
        grant.known = accesses.get(first).is_some_and(|access| access.t <= from && access.t >= self.lost_until)
            && !self.others_touch(scheduler, [from, to]);
        let (mut without_ns, mut event, mut always) = (0, None, true);
        for (at, access) in accesses.iter().enumerate().skip(first).take_while(|(_, access)| access.t <= to) {
            let since = if at == first { from } else { access.t };
            let until = accesses.get(at + 1).map_or(to, |next| next.t.min(to));
            if access.may_use {
                always = false;
            } else {
                without_ns += until - since;
                event.get_or_insert(access.event);
            }
        }
        grant.not_granted = event.filter(|_| 2 * without_ns >= to - from).map(|event| (event, always && grant.known));
        grant
    }

    /// The kernel bypassed the scheduler of another cgroup in a time: it may be one above this one, with which it is bypassed too.
    fn others_touch(&self, scheduler: i64, time: [i64; 2]) -> bool {
        let mut others = self.bypasses.iter().filter(|(of, _)| ![OF_ALL, scheduler].contains(of));
        others.any(|(_, bypass)| bypass.touches(time))
    }

    /// The kernel begins or ceases to bypass a scheduler; it may begin several times before it has ceased as often.
    pub fn bypass(&mut self, scheduler: i64, begins: bool, t: i64, event: i64) {
        if self.bypasses.entry(scheduler).or_default().change(begins, t, event) {
            // scx_bypass: each thread that is queued, unless its scheduler is gone
            self.requeued(t, |place| scheduler == OF_ALL || place.scheduler == scheduler);
        }
    }

    /// The kernel begins to end a scheduler.
    pub fn ends(&mut self, scheduler: i64) {
        self.says_ends = true;
        self.bypasses.entry(scheduler).or_default().ending = Ending::Begun;
    }

    /// A scheduler of a cgroup was seen to be there no more; another one of the cgroup may have come since.
    pub fn gone(&mut self, scheduler: i64, t: i64) {
        let says_ends = self.says_ends;
        let ends = |bypass: &&mut Bypass| bypass.ending != Ending::No || !says_ends;
        if let Some(bypass) = self.bypasses.get_mut(&scheduler).filter(ends) {
            bypass.end(t);
        }
        let age = t - REMEMBERED_NS;
        self.accesses.retain(|(of, _), accesses| *of != scheduler || accesses.back().is_some_and(|last| last.t > age));
    }

    /// Records were lost: what is not there until then may have happened.
    pub fn lost(&mut self, until: i64) {
        self.lost_until = self.lost_until.max(until);
    }

    /// Where the thread is now.
    pub fn latest(&self, number: u32) -> Option<ExtPlace> {
        self.places.get(&number)?.back().copied()
    }

    /// Where a thread was for most of a time, and until when it was there, at the latest until `latest`.
    fn mostly_at(&self, number: u32, [from, to]: [i64; 2], latest: i64) -> Option<(ExtPlace, i64)> {
        let places = self.places.get(&number)?;
        let end_of = |at: usize, end: i64| places.get(at + 1).map_or(end, |next| next.t.min(end)).min(places[at].until);
        let lasted = |at: usize| end_of(at, to) - places[at].t.max(from);
        let first = places.partition_point(|place| place.t <= from).saturating_sub(1);
        let within = (first..places.len()).take_while(|&at| places[at].t < to || places[at].t <= from);
        let at = within.filter(|&at| lasted(at) > 0 || from == to).max_by_key(|&at| lasted(at))?;
        Some((places[at], end_of(at, latest)))
    }

    /// What decided where a thread was for most of a time, and as it began.
    pub fn decided_by(&self, number: u32, time: [i64; 2]) -> ExtDecision {
        let place = self.mostly_at(number, time, time[1]).map(|(place, _)| place);
        ExtDecision {
            put_by: place.map(|place| place.event),
            bypassed_by: match place {
                Some(place) => self.bypassed_in(&place, time[0]),
                None => self.bypassed_at(OF_ALL, time[0]),
            },
        }
    }

    /// A time, cut where a scheduler put the thread elsewhere, where the kernel began or ceased to bypass it, and where another one, or
    /// none, took charge.
    pub fn stays(&self, number: u32, [from, to]: [i64; 2]) -> Vec<[i64; 2]> {
        let within = |&t: &i64| from < t && t < to;
        let (mut places, mut schedulers) = (Vec::new(), vec![OF_ALL]);
        if let Some(of) = self.places.get(&number) {
            let first = of.partition_point(|place| place.t <= from);
            schedulers.extend(of.range(first.saturating_sub(1)..).take_while(|p| p.t < to).map(|p| p.scheduler));
            places.extend(of.range(first..).map(|place| place.t).take_while(|t| *t < to));
        }
        schedulers.sort_unstable();
        schedulers.dedup();
        let bypassed = schedulers.iter().filter_map(|of| self.bypasses.get(of)).flat_map(Bypass::changes);
        let changes = self.changes.iter().map(|change| change.t);
        let others = bypassed.chain(changes).filter(within);
        let mut at: Vec<i64> = [from, to].into_iter().chain(places).chain(others).collect();
        at.sort_unstable();
        at.dedup();
        at.windows(2).map(|part| [part[0], part[1]]).collect()
    }

    /// In a time the thread only went from place to place by one scheduler, which was not bypassed meanwhile.
    pub fn stayed_with_one(&self, number: u32, [from, to]: [i64; 2]) -> bool {
        let Some(places) = self.places.get(&number) else { return false };
        let first = places.partition_point(|place| place.t <= from).saturating_sub(1);
        let mut of = places.range(first..).take_while(|place| place.t < to).map(|place| place.scheduler);
        let Some(scheduler) = of.next() else { return false };
        let bypassed =
            [OF_ALL, scheduler].iter().any(|of| self.bypasses.get(of).is_some_and(|b| b.touches([from, to])));
        of.all(|other| other == scheduler) && !bypassed && !self.changes.iter().any(|c| from < c.t && c.t < to)
    }

    /// No scheduler was in charge of the thread at a time: it was of the fair class. (That one took charge is noted late, after it has
    /// put threads somewhere.)
    pub fn none_in_charge(&self, number: u32, t: i64) -> bool {
        let latest = self.changes.iter().rev().find(|change| change.t <= t);
        let put_since = |gone: i64| {
            let places = self.places.get(&number).into_iter().flatten();
            places.rev().find(|place| place.t <= t).is_some_and(|place| place.t > gone)
        };
        latest.is_some_and(|change| !change.in_charge && !put_since(change.t))
    }

    /// The event by which the kernel bypassed the scheduler, or all, at a time.
    fn bypassed_at(&self, scheduler: i64, t: i64) -> Option<i64> {
        let of = |scheduler| self.bypasses.get(&scheduler).and_then(|bypass| bypass.at(t));
        of(scheduler).or_else(|| of(OF_ALL))
    }

    /// The event by which the kernel bypassed the scheduler of a thread that is there, at a time. A queue of the bypass says so itself,
    /// also when the scheduler was already said to be gone: the kernel takes its threads away one after the other.
    fn bypassed_in(&self, place: &ExtPlace, t: i64) -> Option<i64> {
        let itself = (place.place == ext_place::BYPASS).then_some(place.event);
        self.bypassed_at(place.scheduler, t).or(itself)
    }

    /// What kept a thread from the idle CPU of the pair, as long as it was where it was for most of `part`, a part of the pair's time.
    pub fn wait(&self, number: u32, s: IdleWaitPair, part: [i64; 2], realtime_runs: &RealtimeRuns) -> Option<ExtWait> {
        if !self.knows_schedulers() {
            return None;
        }
        let (place, until) = self.mostly_at(number, part, s.to)?;
        let since = place.t.max(s.from);
        let searches = &self.searches[s.idle as usize];
        let others = self.searches.len() as u32 - 1;
        let latest_search = |from: i64, to: i64| searches.iter().rev().find(|search| search.t > from && search.t <= to);
        let changed = self.changes.iter().rev().map(|change| change.t).find(|t| *t <= place.t);
        let asked_since = changed.unwrap_or(i64::MIN).max(place.t - REMEMBERED_NS);
        let kick = self.kicks[s.idle as usize].iter().find(|(t, _)| *t > place.t && *t <= until);
        let grant = self.grant(place.scheduler, s.idle, [part[0], part[1].min(s.to)]);
        Some(ExtWait {
            place,
            recorded: self.recorded
                && place.t > self.lost_until.max(self.dropped_until[s.idle as usize])
                && grant.known,
            searched: latest_search(place.t, until).map(|search| {
                let was_there = search.until <= place.taken_after || search.left_more_of(&place, others);
                (search.event, was_there && search.t >= place.waits_from)
            }),
            searched_before: latest_search(asked_since, place.t)
                .filter(|search| place.place == ext_place::SHARED && search.left_more_of(&place, 1))
                .map(|search| search.event),
            kicked: kick.map(|&(t, event)| ExtKick {
                event,
                is_late: t - place.t > until - t,
                counts: !self.of_cgroups,
            }),
            realtime: match realtime_runs.mostly(place.queue.unwrap_or(s.queue), since, until) {
                MostlyRan::Realtime(event) => Some(event),
                MostlyRan::Lower | MostlyRan::Unknown => None,
            },
            bypassed: self.bypassed_in(&place, place.t.max(part[0])),
            not_granted: grant.not_granted,
        })
    }

    /// What ended before `cut` matters no longer.
    pub fn forget_before(&mut self, cut: i64) {
        // What a CPU did since a thread is where it still waits belongs to what kept it there.
        let open = self.places.values().filter_map(VecDeque::back).filter(|place| place.until > cut);
        let since = open.map(|place| place.t).min().unwrap_or(cut).min(cut);
        for searches in &mut self.searches {
            forget(searches, since, |search| search.t);
        }
        for kicks in &mut self.kicks {
            forget(kicks, since, |kick| kick.0);
        }
        for places in self.places.values_mut() {
            forget(places, cut, |place| place.t);
        }
        for accesses in self.accesses.values_mut() {
            forget(accesses, cut, |access| access.t);
        }
        for bypass in self.bypasses.values_mut() {
            while bypass.before.front().is_some_and(|(_, to, _)| *to < cut) {
                bypass.before.pop_front();
            }
        }
    }

    /// The thread is gone, and what it wasted is graded.
    pub fn forget_thread(&mut self, number: u32) {
        self.places.remove(&number);
        self.in_queues_for_all.remove(&number);
    }

    /// Another sched_ext scheduler is in charge, or none: then threads are no longer where the last one put them.
    pub fn changed(&mut self, t: i64, in_charge: bool) {
        self.in_queues_for_all.clear();
        push(&mut self.changes, Change { t, in_charge }, true);
        self.bypasses.values_mut().filter(|bypass| bypass.ending != Ending::No).for_each(|bypass| bypass.end(t));
        if !in_charge {
            self.requeued(t, |_| true);
        }
    }

    /// All threads of some places are taken from there; where they come to is recorded.
    fn requeued(&mut self, t: i64, is_of: impl Fn(&ExtPlace) -> bool) {
        for last in self.places.values_mut().filter_map(VecDeque::back_mut).filter(|last| is_of(last)) {
            last.until = last.until.min(t);
        }
    }
}

/// Append; of what came before only the latest is kept where no core is wasted. Returns what is no longer kept for its number.
fn push<T>(log: &mut VecDeque<T>, entry: T, wasting: bool) -> Option<T> {
    let mut dropped = None;
    if !wasting {
        log.clear();
    } else if log.len() == KEPT {
        dropped = log.pop_front();
    }
    log.push_back(entry);
    dropped
}

/// Drop all before the latest that is not after `cut`.
fn forget<T>(log: &mut VecDeque<T>, cut: i64, t: impl Fn(&T) -> i64) {
    while log.len() > 1 && t(&log[1]) <= cut {
        log.pop_front();
    }
}
