//! A kernel's release, as `uname -r` prints it.

/// The version in a kernel's release; what a distribution adds behind it is kept apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelRelease {
    /// Major, minor and patch level; for 2.6 the third number is the one that counts.
    pub version: (u32, u32, u32),
    /// What follows the numbers: `-21-generic`, `-514.el7.x86_64`.
    pub suffix: String,
}

impl KernelRelease {
    /// From a text like `4.4.0-21-generic`. None: it does not begin with two numbers.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, rest) = number(text.trim())?;
        let (minor, rest) = number(rest.strip_prefix('.')?)?;
        let third = rest.strip_prefix('.').and_then(number);
        let (patch, suffix) = third.map_or((0, rest), |(patch, rest)| (patch, rest));
        Some(Self { version: (major, minor, patch), suffix: suffix.into() })
    }

    /// Major and minor number of a text like `6.1.0-56-amd64`. None: it does not begin with two numbers.
    pub fn mainline_of(text: &str) -> Option<(u32, u32)> {
        Self::parse(text).map(|release| release.mainline())
    }

    /// Major and minor number; from 3.0 on these name a mainline release.
    pub fn mainline(&self) -> (u32, u32) {
        (self.version.0, self.version.1)
    }

    /// At least this version.
    pub fn is_from(&self, major: u32, minor: u32, patch: u32) -> bool {
        self.version >= (major, minor, patch)
    }

    /// A kernel of Red Hat Enterprise Linux or a rebuild of it: features of later releases are carried back into them.
    pub fn is_enterprise(&self) -> bool {
        self.suffix.contains(".el")
    }
}

impl std::fmt::Display for KernelRelease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (major, minor, patch) = self.version;
        write!(f, "Linux {major}.{minor}")?;
        // From 3.0 on the third number names a bug-fix release, which moves none of what is looked up by release.
        if major < 3 { write!(f, ".{patch}") } else { Ok(()) }
    }
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_distributions_are_read() {
        let read = |text: &str| KernelRelease::parse(text).map(|release| (release.version, release.to_string()));
        assert_eq!(read("4.4.0-21-generic"), Some(((4, 4, 0), "Linux 4.4".into())));
        assert_eq!(read("2.6.32-504.el6.x86_64"), Some(((2, 6, 32), "Linux 2.6.32".into())));
        assert_eq!(read("6.18"), Some(((6, 18, 0), "Linux 6.18".into())));
        assert_eq!((read("6.18-rc1").unwrap().0, read("linux"), read("4"), read("")), ((6, 18, 0), None, None, None));
        assert_eq!(KernelRelease::mainline_of("6.12+"), Some((6, 12)));
        assert_eq!(["linux", "", "6", "6.", "99999999999.1"].map(KernelRelease::mainline_of), [None; 5]);
        assert!(KernelRelease::parse("3.10.0-514.el7.x86_64").unwrap().is_enterprise());
        assert!(!KernelRelease::parse("3.13.0-24-generic").unwrap().is_enterprise());
    }
}
