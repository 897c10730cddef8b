//! Answers to the three questions (docs/semantics.md, Causes): a question and a code of the enumeration of its name.

use wastenot_schemas::proof;
pub use wastenot_schemas::{EndedBy, NotMovedBecause, PlacedBy, Question};

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

    /// Code of the enumeration that the question names.
    pub fn code(self) -> u8 {
        self.code
    }

    /// It says what a CPU that went idle did, or did not do.
    pub fn is_of_newidle(self) -> bool {
        use NotMovedBecause as Because;
        let of = [
            Because::NewidleCutOff,
            Because::NewidlePulledNothing,
            Because::NewidleWakeupPending,
            Because::NewidleNoneOverloaded,
            Because::NewidleTooShort,
            Because::NewidleDice,
        ];
        self.question == Question::NotMovedBecause && of.iter().any(|because| Self::from(*because) == self)
    }

    /// As one number.
    pub fn packed(self) -> u16 {
        u16::from(self.question.code()) << 8 | u16::from(self.code)
    }

    /// From that number.
    pub fn of(packed: u16) -> Self {
        Self { question: Question::ALL[usize::from(packed >> 8)], code: packed as u8 }
    }

    /// Name in tables and JSON.
    pub fn name(self) -> &'static str {
        let at = usize::from(self.code);
        match self.question {
            Question::PlacedBy => PlacedBy::ALL[at].name(),
            Question::NotMovedBecause => NotMovedBecause::ALL[at].name(),
            Question::EndedBy => EndedBy::ALL[at].name(),
        }
    }
}

macro_rules! answers_to {
    ($($question:ident),*) => {$(
        impl From<$question> for Answer {
            fn from(answer: $question) -> Self {
                Self { question: Question::$question, code: answer.code() }
            }
        }
    )*};
}

answers_to!(PlacedBy, NotMovedBecause, EndedBy);

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
