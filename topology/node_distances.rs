//! How far NUMA nodes are from each other.

use crate::NumaNode;

/// Distances between NUMA nodes by their place in ascending order, as the firmware reports them.
///
/// The rows stand behind each other in one vector. A row may be shorter than the number of nodes, or empty: what a damaged
/// trace says takes no more memory than its text.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeDistances {
    rows: Vec<i32>,
    /// Row of node `i`: `rows[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
}

impl NodeDistances {
    pub fn new(nodes: &[NumaNode]) -> Self {
        let mut built = Self { rows: Vec::new(), starts: vec![0] };
        for node in nodes {
            built.rows.extend(node.distances.iter().take(nodes.len()));
            built.starts.push(built.rows.len() as u32);
        }
        built
    }

    /// Distance from one node to another; None where it is not known.
    #[inline]
    pub fn get(&self, from: usize, to: usize) -> Option<i32> {
        let (start, end) = (*self.starts.get(from)?, *self.starts.get(from + 1)?);
        self.rows[start as usize..end as usize].get(to).copied()
    }

    /// The largest distance below this one that two nodes have.
    pub fn next_nearer(&self, distance: i32) -> Option<i32> {
        self.rows.iter().copied().filter(|&d| d < distance).max()
    }
}
