//! The natural tree: machine ▸ cgroup folders ▸ session ▸ process ▸ thread, as far as the trace knows them.

use super::lifetimes::{ThreadLifetime, ThreadLifetimes};
use super::tree::{Node, Tree};
use super::{Entity, MAX_DEPTH, Member};
use std::collections::HashMap;
use wastenot_schemas::{bubble_kind, bubble_tree};

/// What is known of cgroups.
#[derive(Debug, Default)]
pub struct Cgroups {
    /// Path within the hierarchy, by id.
    pub paths: HashMap<i64, Box<str>>,
    /// Moves of a thread in order of time, by utid: when and where to.
    pub moves: HashMap<i32, Vec<(i64, i64)>>,
}

impl Cgroups {
    /// Where a thread was, in order of time: (from, until, cgroup).
    fn intervals(
        &self,
        life: &ThreadLifetime,
        lives: &ThreadLifetimes,
        window: (i64, i64),
    ) -> Vec<(i64, i64, Option<i64>)> {
        let (start, end) = span(life, window);
        let Some(moves) = self.moves.get(&life.utid) else { return vec![(start, end, life.cgroup)] };
        let mut out = Vec::new();
        let (mut since, mut at) = (start, self.first(life, lives).or(moves.first().map(|m| m.1)));
        for (ts, to) in moves.iter().copied().filter(|(ts, _)| *ts < end) {
            if at != Some(to) {
                if ts > since {
                    out.push((since, ts, at));
                }
                (since, at) = (ts.max(since), Some(to));
            }
        }
        out.push((since, end, at));
        out
    }

    /// Its first cgroup: that of the snapshot, else its creator's at that time.
    fn first(&self, life: &ThreadLifetime, lives: &ThreadLifetimes) -> Option<i64> {
        if life.first_cgroup.is_some() {
            return life.first_cgroup;
        }
        let (parent, born) = (lives.get(life.parent?)?, life.start_ns?);
        let Some(moves) = self.moves.get(&parent.utid) else { return parent.cgroup };
        moves.iter().rev().find(|(ts, _)| *ts <= born).map(|(_, cgroup)| *cgroup).or(parent.first_cgroup)
    }
}

/// Life of a thread within the trace, ns.
pub fn span(life: &ThreadLifetime, window: (i64, i64)) -> (i64, i64) {
    let start = life.start_ns.unwrap_or(window.0);
    (start, life.end_ns.unwrap_or(window.1).max(start))
}

/// The tree of all threads.
pub fn tree(first: i32, lives: &ThreadLifetimes, cgroups: &Cgroups, window: (i64, i64)) -> Tree {
    let mut tree = Tree::new(bubble_tree::NATURAL, first);
    let named = |kind, parent, name: &str| Node { kind, parent, name: Some(name.into()), ..Node::default() };
    let root = tree.add(Node { span: Some(window), ..named(bubble_kind::MACHINE, None, "machine") });
    let mut folders: HashMap<(i32, Box<str>), i32> = HashMap::new();
    let mut of_cgroup: HashMap<i64, i32> = HashMap::new();
    let mut processes: HashMap<(i32, i32), i32> = HashMap::new();
    let mut kernel = None;
    for life in lives.iter() {
        for (start_ns, end_ns, cgroup) in cgroups.intervals(life, lives, window) {
            let bubble = if life.is_kernel {
                *kernel.get_or_insert_with(|| tree.add(named(bubble_kind::KERNEL, Some(root), "kernel threads")))
            } else {
                let folder = match cgroup.and_then(|id| Some((id, cgroups.paths.get(&id)?))) {
                    None => root,
                    Some((id, path)) => {
                        *of_cgroup.entry(id).or_insert_with(|| folder(&mut tree, &mut folders, root, path, id))
                    }
                };
                match life.upid {
                    None => folder,
                    Some(upid) => *processes.entry((folder, upid)).or_insert_with(|| {
                        let name = lives.process_name(upid).or(life.name.as_deref()).unwrap_or("unknown");
                        let tgid = life.tgid;
                        tree.add(Node { tgid, cgroup, ..named(bubble_kind::PROCESS, Some(folder), name) })
                    }),
                }
            };
            tree.members.push(Member { bubble, entity: Entity::Thread(life.utid), start_ns, end_ns });
        }
    }
    tree.settle(window);
    tree
}

/// The bubble of a cgroup's folder, and those of the folders around it.
fn folder(tree: &mut Tree, known: &mut HashMap<(i32, Box<str>), i32>, root: i32, path: &str, id: i64) -> i32 {
    let mut at = root;
    for name in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        // One level is kept for the process.
        if tree.node(at).depth + 2 >= MAX_DEPTH {
            break;
        }
        at = *known.entry((at, name.into())).or_insert_with(|| {
            let session = name.starts_with("session-") && name.ends_with(".scope");
            let kind = if session { bubble_kind::SESSION } else { bubble_kind::CGROUP };
            tree.add(Node { kind, parent: Some(at), name: Some(name.into()), ..Node::default() })
        });
    }
    if at != root {
        let place = (at - tree.first) as usize;
        tree.nodes[place].cgroup = Some(id);
    }
    at
}
