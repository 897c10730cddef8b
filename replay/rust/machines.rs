//! Machines from a short description, for whom no snapshot is at hand: `2n8`, `2n16s2`, `1n8l2`, or a name of [`NAMED`].

use wastenot_machine::Machine;
use wastenot_topology::{Cpu, CpuSet, FULL_CAPACITY, LOCAL_DISTANCE, NumaNode, REMOTE_DISTANCE};

/// CPUs such a machine can have at most.
const MOST: u32 = 4096;

/// Machines with a name, and what they are.
pub const NAMED: &[(&str, &str)] = &[
    ("opteron", "8 nodes of 8 CPUs, up to two hops apart: the machine of EuroSys 2016"),
    ("opteron-smt", "the same, its cores taken as pairs of hardware threads"),
    ("ring", "6 nodes of 4 CPUs in a ring, up to three hops apart"),
    ("big-little", "4 small CPUs, 3 larger ones and 1 largest behind one cache"),
];

/// The machine that a description names. `<N>n<C>` is N nodes with C CPUs in all, a last-level cache each; `l<L>` more says
/// L caches per node, `s<S>` S hardware threads per core. Nodes are 20 apart (10 to itself).
pub fn from_description(text: &str) -> Result<Machine, String> {
    match text {
        "opteron" => return Ok(opteron(1)),
        "opteron-smt" => return Ok(opteron(2)),
        "ring" => return Ok(ring()),
        "big-little" => return Ok(big_little()),
        _ => {}
    }
    let known = || NAMED.iter().map(|m| m.0).collect::<Vec<_>>().join(" ");
    let fail = || format!("machine {text:?}: write NODESnCPUS as in 2n8 or 2n16s2, or one of {}", known());
    let (nodes, rest) = text.split_once('n').ok_or_else(fail)?;
    let (rest, smt) = rest.split_once('s').map_or((rest, "1"), |(a, b)| (a, b));
    let (cpus, llcs) = rest.split_once('l').map_or((rest, "1"), |(a, b)| (a, b));
    let number = |t: &str| t.parse::<u32>().ok().filter(|&n| n > 0 && n <= MOST).ok_or_else(fail);
    let (nodes, cpus, llcs, smt) = (number(nodes)?, number(cpus)?, number(llcs)?, number(smt)?);
    let parts = u64::from(nodes) * u64::from(llcs) * u64::from(smt);
    if !u64::from(cpus).is_multiple_of(parts) {
        return Err(format!(
            "machine {text:?}: {cpus} CPUs cannot be shared out evenly to {nodes} nodes with {llcs} caches of {smt} threads per core"
        ));
    }
    Ok(even(nodes, llcs, cpus / nodes / llcs / smt, smt))
}

/// A machine of equal parts: nodes ▸ caches ▸ cores ▸ threads; threads of a core follow each other. Distances 10 and 20.
pub fn even(nodes: u32, llcs: u32, cores: u32, smt: u32) -> Machine {
    let per_llc = cores * smt;
    let per_node = llcs * per_llc;
    let n = nodes * per_node;
    let mut m = Machine::of_cpus(n, None, Some("x86_64".into()));
    m.cpus = (0..n)
        .map(|cpu| Cpu {
            cpu,
            node: Some(cpu / per_node),
            package: Some((cpu / per_node) as i32),
            llc: Some(cpu / per_llc * per_llc),
            core: Some(cpu / smt * smt),
            smt: cpu % smt,
            capacity: FULL_CAPACITY,
            ..Cpu::default()
        })
        .collect();
    m.nodes = (0..nodes)
        .map(|node| NumaNode {
            node,
            cpus: (node * per_node..(node + 1) * per_node).collect::<CpuSet>(),
            distances: (0..nodes).map(|other| if other == node { LOCAL_DISTANCE } else { REMOTE_DISTANCE }).collect(),
            memory_bytes: None,
        })
        .collect();
    m.quirks.clear();
    m
}

/// Four Opteron 6272 as in the EuroSys paper: eight nodes, every one with nodes two hops away. Its cores come in pairs that
/// share instruction fetch and floating point, yet have integer pipelines of their own: as the constants for hardware
/// threads are too harsh for these, they are cores here; with `smt` of 2 they are hardware threads.
fn opteron(smt: u32) -> Machine {
    const DISTANCES: [[i32; 8]; 8] = [
        [10, 16, 16, 22, 16, 22, 16, 22],
        [16, 10, 22, 16, 22, 16, 22, 16],
        [16, 22, 10, 16, 16, 22, 16, 22],
        [22, 16, 16, 10, 22, 16, 22, 16],
        [16, 22, 16, 22, 10, 16, 16, 22],
        [22, 16, 22, 16, 16, 10, 22, 16],
        [16, 22, 16, 22, 16, 22, 10, 16],
        [22, 16, 22, 16, 22, 16, 16, 10],
    ];
    let mut m = even(8, 1, 8 / smt, smt);
    m.nodes.iter_mut().zip(DISTANCES).for_each(|(node, row)| node.distances = row.to_vec());
    m
}

fn ring() -> Machine {
    const NODES: usize = 6;
    let mut m = even(NODES as u32, 1, 4, 1);
    for (at, node) in m.nodes.iter_mut().enumerate() {
        let hops = |other: usize| at.abs_diff(other).min(NODES - at.abs_diff(other));
        node.distances = (0..NODES).map(|other| [10, 16, 22, 28][hops(other)]).collect();
    }
    m
}

fn big_little() -> Machine {
    let mut m = even(1, 1, 8, 1);
    m.cpus.iter_mut().for_each(|c| c.capacity = [223, 223, 223, 223, 793, 793, 793, FULL_CAPACITY][c.cpu as usize]);
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_a_machine_of_equal_parts() {
        let m = from_description("2n16l2s2").unwrap();
        assert_eq!((m.cpus.len(), m.nodes.len()), (16, 2));
        assert_eq!((m.cpus[9].node, m.cpus[9].llc, m.cpus[9].core, m.cpus[9].smt), (Some(1), Some(8), Some(8), 1));
    }

    #[test]
    fn what_describes_no_machine_is_refused_in_one_line() {
        for text in ["", "n", "2n", "0n8", "2n0", "3n8", "2n8s3", "2n99999999999", "x", "2n8s", "-1n8"] {
            let error = from_description(text).unwrap_err();
            assert!(error.starts_with("machine ") && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn the_opteron_has_nodes_two_hops_apart() {
        let m = from_description("opteron").unwrap();
        for (a, node) in m.nodes.iter().enumerate() {
            assert!(node.distances.contains(&22) && node.distances[a] == 10);
            assert!((0..8).all(|b| m.nodes[b].distances[a] == node.distances[b]));
        }
    }
}
