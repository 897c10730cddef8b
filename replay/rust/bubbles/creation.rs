//! The creation tree: a thread that created others is a bubble of itself and of what it created.
//!
//! Of what existed before the trace, a process's leader counts as the creator of its threads, and the leader of the parent
//! process (where the snapshot has it) as the creator of the leader.

use super::lifetimes::{ThreadLifetime, ThreadLifetimes};
use super::natural::span;
use super::tree::{Node, Tree};
use super::{Entity, Member};
use wastenot_schemas::{bubble_kind, bubble_tree};

/// The tree of all threads.
pub fn tree(first: i32, lives: &ThreadLifetimes, window: (i64, i64)) -> Tree {
    let all: Vec<&ThreadLifetime> = lives.iter().collect();
    let creators = creators(&all, lives);
    let mut created: Vec<Vec<u32>> = vec![Vec::new(); all.len()];
    let mut tree = Tree::new(bubble_tree::CREATION, first);
    let root = Node { kind: bubble_kind::MACHINE, name: Some("machine".into()), span: Some(window), ..Node::default() };
    let root = tree.add(root);
    let mut todo = Vec::new();
    for (i, creator) in creators.iter().enumerate() {
        match creator {
            Some(creator) => created[*creator].push(i as u32),
            None => todo.push((i as u32, root)),
        }
    }
    todo.reverse();
    while let Some((i, parent)) = todo.pop() {
        let life = all[i as usize];
        let mine = &created[i as usize];
        let bubble = if mine.is_empty() || !tree.can_nest_below(parent) {
            parent
        } else {
            tree.add(Node {
                kind: bubble_kind::CREATOR,
                parent: Some(parent),
                name: life.name.clone(),
                tgid: life.tgid,
                utid: Some(life.utid),
                ..Node::default()
            })
        };
        let (start_ns, end_ns) = span(life, window);
        tree.members.push(Member { bubble, entity: Entity::Thread(life.utid), start_ns, end_ns });
        todo.extend(mine.iter().rev().map(|child| (*child, bubble)));
    }
    tree.settle(window);
    tree
}

/// Per thread the place of its creator; no thread is created by one that it created.
fn creators(all: &[&ThreadLifetime], lives: &ThreadLifetimes) -> Vec<Option<usize>> {
    let mut out: Vec<Option<usize>> = all
        .iter()
        .enumerate()
        .map(|(i, life)| {
            let parent = life.parent.and_then(|p| lives.place(p));
            parent.or_else(|| before(life, lives)).filter(|p| *p != i)
        })
        .collect();
    // 0: not visited; n: on the path that starts at n; DONE: leads to a root.
    const DONE: usize = usize::MAX;
    let mut seen = vec![0; all.len()];
    for i in 0..all.len() {
        let (mut at, way) = (i, i + 1);
        while seen[at] == 0 {
            seen[at] = way;
            match out[at] {
                Some(up) if seen[up] == way => out[at] = None, // a circle in damaged data
                Some(up) => at = up,
                None => {}
            }
        }
        let mut back = i;
        while seen[back] == way {
            seen[back] = DONE;
            if let Some(up) = out[back] {
                back = up;
            }
        }
    }
    out
}

fn before(life: &ThreadLifetime, lives: &ThreadLifetimes) -> Option<usize> {
    if life.start_ns.is_some() {
        return None; // its creation was seen, its creator was not
    }
    let tgid = life.tgid?;
    let above = if life.tid == tgid { life.ppid.filter(|p| *p > 0)? } else { tgid };
    lives.place(lives.leader(above)?.utid)
}
