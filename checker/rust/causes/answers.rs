//! The vocabulary of the three questions (docs/semantics.md, Causes). An answer's code is its place in the list of names.

use wastenot_schemas::{proof, question};

/// The three questions, in the order of the enumeration `question`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Question {
    /// How the thread came to wait there.
    Placement = question::PLACEMENT,
    /// Why nobody moved it earlier.
    Correction = question::CORRECTION,
    /// What ended it.
    Resolution = question::RESOLUTION,
}

/// All of them.
pub const QUESTIONS: [Question; 3] = [Question::Placement, Question::Correction, Question::Resolution];

macro_rules! answers {
    ($(#[$doc:meta])* $name:ident { $($(#[$why:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$why])* $variant,)* }

        impl $name {
            /// The answers as they are written.
            pub const NAMES: &'static [&'static str] = &[$($text,)*];
        }

        impl From<$name> for Answer {
            fn from(a: $name) -> Self {
                Self { question: Question::$name, code: a as u8 }
            }
        }
    };
}

/// An answer to one of the questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Answer {
    pub question: Question,
    code: u8,
}

impl Answer {
    /// `unknown`.
    pub fn unknown(question: Question) -> Self {
        Self { question, code: 0 }
    }

    /// As one number.
    pub fn packed(self) -> u16 {
        u16::from(self.question as u8) << 8 | u16::from(self.code)
    }

    /// From that number.
    pub fn of(packed: u16) -> Self {
        Self { question: QUESTIONS[usize::from(packed >> 8)], code: packed as u8 }
    }

    /// As it is written.
    pub fn name(self) -> &'static str {
        let names = match self.question {
            Question::Placement => Placement::NAMES,
            Question::Correction => Correction::NAMES,
            Question::Resolution => Resolution::NAMES,
        };
        names[self.code as usize]
    }
}

answers! {
    /// How a thread came to wait where it did.
    Placement {
        Unknown = "unknown",
        /// Woken, with no idle CPU that it could have had.
        Wakeup = "wakeup",
        WakeupPrev = "wakeup: prev cpu kept",
        WakeupAffine = "wakeup: wake-affine",
        WakeupOneLlc = "wakeup: idle-sibling scan limited to one LLC",
        WakeupCut = "wakeup: idle-sibling scan cut short",
        ForkExec = "fork/exec",
        Periodic = "periodic balance",
        Newidle = "newidle balance",
        Nohz = "nohz balance",
        Active = "active balance",
        Numa = "NUMA balance",
        RtPush = "RT/DL push",
        RtPull = "RT/DL pull",
        Affinity = "affinity change",
        Cgroup = "cgroup move",
        Hotplug = "hotplug push",
        Preempted = "preempted in place",
        SchedExt = "sched_ext",
    }
}

answers! {
    /// Why nobody moved it earlier.
    Correction {
        Unknown = "unknown",
        NewidleCut = "newidle did not run (cut off)",
        NewidleNothing = "newidle ran and pulled nothing",
        Averages = "periodic ran and found balance: group average hides idle cores",
        Allowed = "periodic ran and found balance: allowed imbalance",
        Pinned = "periodic ran and found balance: all pinned",
        Asymmetric = "periodic ran and found balance: asymmetric capacity",
        Balanced = "periodic ran and found balance",
        Interval = "periodic did not run: interval too long",
        NoPeriodic = "periodic did not run",
        NoKick = "nohz kick missing",
        ActiveFailed = "active balance failed",
        NoDomain = "domains missing (no common domain)",
        Misbuilt = "groups misbuilt",
        NumaAllowed = "NUMA imbalance allowed",
        CacheHot = "cache-hot refusal",
        NotApplicable = "not applicable (sched_ext)",
    }
}

answers! {
    /// What ended it.
    Resolution {
        Unknown = "unknown",
        Newidle = "newidle",
        Periodic = "periodic",
        Nohz = "nohz",
        Active = "active",
        Numa = "NUMA balance",
        PushPull = "push/pull",
        Affinity = "affinity change",
        WokenElsewhere = "woken elsewhere",
        StartedInPlace = "started running in place",
        Gone = "blocked or exited",
        End = "end of trace",
    }
}

/// How sure an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Proof {
    /// Nothing is known.
    Unknown = proof::UNKNOWN,
    /// The events agree with it and with no other answer.
    Consistent = proof::CONSISTENT,
    /// The decision itself was observed.
    Proved = proof::PROVED,
}

impl Proof {
    /// `proved` where the decision was observed, else `consistent`.
    pub fn if_seen(seen: bool) -> Self {
        if seen { Self::Proved } else { Self::Consistent }
    }

    /// From a code of the enumeration `proof`.
    pub fn of(code: u8) -> Self {
        [Self::Unknown, Self::Consistent, Self::Proved][code.min(2) as usize]
    }
}
