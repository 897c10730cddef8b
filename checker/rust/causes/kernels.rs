//! Kernel releases: which one a trace is of, and for which a rule holds.

/// Major and minor number of a release.
pub type Release = (u32, u32);

/// A range of releases, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernels {
    pub from: Option<Release>,
    pub to: Option<Release>,
}

impl Kernels {
    /// Every release.
    pub const ALL: Self = Self { from: None, to: None };

    /// From a release on.
    pub const fn since(major: u32, minor: u32) -> Self {
        Self { from: Some((major, minor)), to: None }
    }

    /// Up to a release.
    pub const fn until(major: u32, minor: u32) -> Self {
        Self { from: None, to: Some((major, minor)) }
    }

    /// From a release to another, both included.
    pub const fn between(from: Release, to: Release) -> Self {
        Self { from: Some(from), to: Some(to) }
    }

    /// Whether the rule holds for a release; None where that is not known and makes a difference.
    pub fn holds(&self, release: Option<Release>) -> Option<bool> {
        if *self == Self::ALL {
            return Some(true);
        }
        let release = release?;
        Some(self.from.is_none_or(|from| release >= from) && self.to.is_none_or(|to| release <= to))
    }
}

impl std::fmt::Display for Kernels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |r: Option<Release>| r.map_or(String::new(), |(major, minor)| format!("{major}.{minor}"));
        match (self.from, self.to) {
            (None, None) => write!(f, "all"),
            (from, to) if from == to => write!(f, "{}", text(from)),
            (from, to) => write!(f, "{}", format!("{} .. {}", text(from), text(to)).trim()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_between_its_ends_and_is_undecided_without_a_release() {
        assert_eq!(Kernels::until(5, 4).holds(Some((5, 4))), Some(true));
        assert_eq!(Kernels::until(5, 4).holds(Some((5, 5))), Some(false));
        assert_eq!(Kernels::since(5, 5).holds(Some((6, 1))), Some(true));
        assert_eq!(Kernels::since(5, 5).holds(None), None);
        assert_eq!(Kernels::ALL.holds(None), Some(true));
        assert_eq!(Kernels::since(5, 5).to_string(), "5.5 ..");
        assert_eq!(Kernels::until(5, 4).to_string(), ".. 5.4");
        assert_eq!(Kernels::between((6, 1), (6, 1)).to_string(), "6.1");
        assert_eq!(Kernels::between((5, 11), (5, 17)).to_string(), "5.11 .. 5.17");
    }
}
