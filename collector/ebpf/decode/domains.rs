//! Domains that the kernel built anew while a recording ran, from the records that hold parts of them.

use wastenot_machine::{Domain, Machine, NamedBatch};

/// Domains as they are read, part by part; each set with the time from which it holds.
#[derive(Default)]
pub struct ChangedDomains {
    whole: Vec<(i64, Vec<Domain>)>,
    /// The set of which some parts have been read, and how many.
    begun: Option<(i64, u16, Vec<Domain>)>,
    /// Sets that could not be read.
    pub damaged: u64,
}

impl ChangedDomains {
    /// Take part `part` of `parts` of the domains that hold from `since_ns` on; returns those of a set that is whole with it. A set
    /// of which a part is missing is left out.
    pub fn add(&mut self, since_ns: i64, part: u16, parts: u16, json: &[u8]) -> Option<&[Domain]> {
        let begun = self.begun.take().filter(|(since, read, _)| (*since, *read) == (since_ns, part));
        let (_, _, mut domains) = match begun {
            Some(begun) => begun,
            None if part == 0 => (since_ns, 0, Vec::new()),
            None => {
                self.damaged += 1;
                return None;
            }
        };
        let Ok(more) = serde_json::from_slice::<Vec<Domain>>(json) else {
            self.damaged += 1;
            return None;
        };
        domains.extend(more);
        if part + 1 >= parts {
            self.whole.push((since_ns, domains));
            return self.whole.last().map(|(_, domains)| domains.as_slice());
        }
        self.begun = Some((since_ns, part + 1, domains));
        None
    }

    /// Rows of the tables `domain` and `domain_group` for the sets that became whole since the last call.
    pub fn take(&mut self, machine: &Machine) -> Vec<NamedBatch> {
        let whole = std::mem::take(&mut self.whole);
        whole.iter().flat_map(|(since_ns, domains)| machine.changed_domains(domains, *since_ns)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wastenot_schemas::domain;

    fn json(level: u16) -> Vec<u8> {
        format!(
            r#"[{{"cpus":"0-1","level":{level},"name":"MC","span":"0-1","span_exact":true,"parameters_exact":true}}]"#
        )
        .into_bytes()
    }

    #[test]
    fn parts_become_one_set_and_what_is_damaged_none() {
        let machine = Machine::of_cpus(2, None, None);
        let mut domains = ChangedDomains::default();
        domains.add(5, 0, 2, &json(0));
        assert!(domains.take(&machine).is_empty());
        domains.add(5, 1, 2, &json(1));
        let rows = domains.take(&machine);
        assert_eq!(rows.iter().map(|(_, batch)| batch.num_rows()).sum::<usize>(), 4);
        assert!(domains.take(&machine).is_empty());
        domains.add(6, 1, 2, &json(1)); // the first part is missing
        domains.add(7, 0, 2, &json(0)); // the second is
        domains.add(8, 0, 1, b"[{]");
        assert!(domains.take(&machine).is_empty() && domains.damaged == 2);
        domains.add(9, 0, 1, b"[]");
        let none = domains.take(&machine);
        let view = domain::View::try_new(&none[0].1).unwrap();
        assert_eq!((view.len(), view.row(1).name, view.row(1).span.to_vec()), (2, "none", vec![1]));
    }
}
