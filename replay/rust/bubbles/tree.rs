//! A tree of bubbles as it is written: the bubbles, and what belongs to them when.

use super::{Entity, MAX_DEPTH, Member};
use wastenot_schemas::bubble;

/// A bubble of any tree; columns of the table `bubble`.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Node {
    pub kind: u8,
    pub parent: Option<i32>,
    pub name: Option<Box<str>>,
    pub number: Option<i64>,
    pub tgid: Option<i32>,
    pub cgroup: Option<i64>,
    pub utid: Option<i32>,
    pub priority: Option<i32>,
    pub burst_level: Option<u8>,
    pub slice_ns: Option<i64>,
    /// None: that of its members.
    pub span: Option<(i64, i64)>,
    pub depth: usize,
}

/// One tree. Ids start at `first`.
#[derive(Clone, Debug)]
pub struct Tree {
    pub code: u8,
    pub first: i32,
    pub nodes: Vec<Node>,
    pub members: Vec<Member>,
}

impl Tree {
    pub fn new(code: u8, first: i32) -> Self {
        Self { code, first, nodes: Vec::new(), members: Vec::new() }
    }

    /// Another bubble; returns its id.
    pub fn add(&mut self, node: Node) -> i32 {
        let depth = node.parent.map_or(0, |p| self.node(p).depth + 1);
        debug_assert!(depth < MAX_DEPTH + 2);
        self.nodes.push(Node { depth, ..node });
        self.first + self.nodes.len() as i32 - 1
    }

    pub fn node(&self, id: i32) -> &Node {
        &self.nodes[(id - self.first) as usize]
    }

    /// A bubble may be added below this one.
    pub fn can_nest_below(&self, id: i32) -> bool {
        self.node(id).depth + 1 < MAX_DEPTH
    }

    /// Id after the last.
    pub fn end(&self) -> i32 {
        self.first + self.nodes.len() as i32
    }

    /// Let bubbles without a span have that of their members; then bubbles belong to their parents as long as they live.
    /// Parents have lower ids than what belongs to them.
    pub fn settle(&mut self, window: (i64, i64)) {
        let mut spans: Vec<Option<(i64, i64)>> = self.nodes.iter().map(|n| n.span).collect();
        let widen = |span: &mut Option<(i64, i64)>, (start, end): (i64, i64)| {
            *span = Some(span.map_or((start, end), |(s, e)| (s.min(start), e.max(end))));
        };
        for m in &self.members {
            widen(&mut spans[(m.bubble - self.first) as usize], (m.start_ns, m.end_ns));
        }
        for i in (0..self.nodes.len()).rev() {
            let span = spans[i].unwrap_or((window.0, window.0));
            self.nodes[i].span = Some(span);
            if let Some(parent) = self.nodes[i].parent {
                widen(&mut spans[(parent - self.first) as usize], span);
            }
        }
        for (id, node) in (self.first..).zip(&self.nodes) {
            if let (Some(bubble), Some((start_ns, end_ns))) = (node.parent, node.span) {
                self.members.push(Member { bubble, entity: Entity::Bubble(id), start_ns, end_ns });
            }
        }
    }

    /// Write the bubbles.
    pub fn write(&self, out: &mut bubble::Builder) {
        for (bubble_id, n) in (self.first..).zip(&self.nodes) {
            let (start_ns, end_ns) = n.span.unwrap_or_default();
            out.push(&bubble::Row {
                bubble_id,
                tree: self.code,
                kind: n.kind,
                parent_id: n.parent,
                depth: n.depth as i32,
                name: n.name.as_deref(),
                number: n.number,
                tgid: n.tgid,
                cgroup_id: n.cgroup,
                utid: n.utid,
                priority: n.priority,
                burst_level: n.burst_level,
                slice_ns: n.slice_ns,
                start_ns,
                end_ns,
            });
        }
    }
}
