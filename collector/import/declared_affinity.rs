//! Masks that the user declares because the trace does not carry them.

use crate::ImportError;
use wastenot_topology::CpuSet;

/// `--affinity 'NAME=CPULIST'`: threads whose name matches may use these CPUs.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredAffinity {
    pattern: Vec<char>,
    /// The CPUs.
    pub cpus: CpuSet,
}

impl DeclaredAffinity {
    /// From `NAME=CPULIST`; NAME is a glob (`*`, `?`), the list as the kernel writes it (`0-3,8`).
    pub fn parse(text: &str) -> Result<Self, ImportError> {
        let refuse = |why: &str| ImportError::Option(format!("--affinity {text:?}: {why}"));
        let (name, list) = text.rsplit_once('=').ok_or_else(|| refuse("NAME=CPULIST expected, such as 'hog*=0-3'"))?;
        if name.is_empty() {
            return Err(refuse("no name before '='; '*' means every thread"));
        }
        let cpus = CpuSet::parse_list(list).map_err(|_| refuse("no list of CPUs after '=', such as 0-3,8"))?;
        if cpus.is_empty() {
            return Err(refuse("no CPU after '='"));
        }
        Ok(Self { pattern: name.chars().collect(), cpus })
    }

    /// NAME is more than a literal name.
    pub fn has_wildcard(&self) -> bool {
        self.pattern.iter().any(|c| matches!(c, '*' | '?'))
    }

    /// A thread of this name is meant.
    pub fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        // Where the last `*` was, and how much of the name it covers: enough to go back to.
        let (mut p, mut n, mut star) = (0, 0, None);
        while n < name.len() {
            match self.pattern.get(p) {
                Some('*') => {
                    star = Some((p, n));
                    p += 1;
                }
                Some(&c) if c == '?' || c == name[n] => (p, n) = (p + 1, n + 1),
                _ => match star {
                    Some((at, covered)) => {
                        star = Some((at, covered + 1));
                        (p, n) = (at + 1, covered + 1);
                    }
                    None => return false,
                },
            }
        }
        self.pattern[p..].iter().all(|&c| c == '*')
    }
}

impl std::fmt::Display for DeclaredAffinity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.pattern.iter().collect::<String>(), self.cpus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        let fits = |glob: &str, name: &str| DeclaredAffinity::parse(&format!("{glob}=0")).unwrap().matches(name);
        assert!(
            fits("*", "")
                && fits("*", "any thing")
                && fits("hog", "hog")
                && fits("ho?", "hog")
                && fits("*b*d", "abcbd")
        );
        assert!(!fits("hog", "hog2") && !fits("hog?", "hog") && !fits("*x", "xy") && !fits("?", ""));
        assert!(fits("a=b", "a=b"), "the last '=' separates name and list");
    }

    #[test]
    fn a_malformed_declaration_is_refused_in_one_line() {
        for text in ["hog", "=0-3", "hog=", "hog=x", "hog=3-1"] {
            let message = DeclaredAffinity::parse(text).unwrap_err().to_string();
            assert!(message.starts_with("--affinity") && !message.contains('\n'), "{message}");
        }
    }
}
