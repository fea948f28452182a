//! Components as a forest, whatever the intent says: every component stands in it exactly once.

use std::collections::BTreeMap;

use crate::intent::Intent;

/// Deeper parts are shown at this depth, so that nesting stays readable.
pub(super) const DEPTH_MAX: usize = 7;

/// Components by index.
pub(super) struct Forest {
    /// In no other component, as they should be.
    pub(super) roots: Vec<usize>,
    /// In a component that is not there, or in each other.
    pub(super) strays: Vec<usize>,
    pub(super) children: Vec<Vec<usize>>,
}

pub(super) fn plant(intent: &Intent) -> Forest {
    let all = &intent.components;
    let mut by_id: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, component) in all.iter().enumerate() {
        by_id.entry(&component.id).or_insert(i);
    }
    let mut named: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
    let (mut roots, mut strays) = (Vec::new(), Vec::new());
    for (i, component) in all.iter().enumerate() {
        match component.parent.as_deref().map(|parent| by_id.get(parent)) {
            None => roots.push(i),
            Some(None) => strays.push(i),
            Some(Some(&parent)) => named[parent].push(i),
        }
    }
    let mut forest = Forest {
        roots: Vec::new(),
        strays: Vec::new(),
        children: vec![Vec::new(); all.len()],
    };
    let mut seen = vec![false; all.len()];
    for &root in roots.iter().chain(&strays) {
        grow(root, &named, &mut forest.children, &mut seen);
    }
    // What no root reaches stands in a circle: cut it at its first component.
    for i in 0..all.len() {
        if !seen[i] {
            strays.push(i);
            grow(i, &named, &mut forest.children, &mut seen);
        }
    }
    forest.roots = roots;
    forest.strays = strays;
    forest
}

/// Hangs everything below a root under it, in the intent's order, no deeper than allowed.
fn grow(root: usize, named: &[Vec<usize>], children: &mut [Vec<usize>], seen: &mut [bool]) {
    seen[root] = true;
    // Node, where its children hang, and their depth.
    let mut open = vec![(root, root, 1)];
    while let Some((node, under, depth)) = open.pop() {
        let mut next = Vec::new();
        for &child in &named[node] {
            if std::mem::replace(&mut seen[child], true) {
                continue;
            }
            children[under].push(child);
            next.push(if depth < DEPTH_MAX {
                (child, child, depth + 1)
            } else {
                (child, under, depth)
            });
        }
        open.extend(next.into_iter().rev());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intent::{Component, ComponentKind, DataModel};

    fn intent(parents: &[Option<usize>]) -> Intent {
        let component = |(i, parent): (usize, &Option<usize>)| Component {
            id: format!("c-{i}"),
            name: String::new(),
            kind: ComponentKind::Container,
            description: String::new(),
            parent: parent.map(|p| format!("c-{p}")),
            data: Vec::new(),
        };
        Intent {
            feature_id: String::new(),
            version: String::new(),
            title: String::new(),
            goals: Vec::new(),
            user_flows: Vec::new(),
            components: parents.iter().enumerate().map(component).collect(),
            data_model: DataModel::default(),
            interactions: Vec::new(),
        }
    }

    fn depth(forest: &Forest, node: usize) -> usize {
        1 + forest.children[node]
            .iter()
            .map(|&child| depth(forest, child))
            .max()
            .unwrap_or(0)
    }

    proptest::proptest! {
        #[test]
        fn every_component_stands_in_it_once(parents in proptest::collection::vec(proptest::option::of(0_usize..40), 0..40)) {
            let forest = plant(&intent(&parents));
            let mut found: Vec<usize> = forest.roots.iter().chain(&forest.strays).copied().collect();
            found.extend(forest.children.iter().flatten());
            found.sort_unstable();
            proptest::prop_assert_eq!(found, (0..parents.len()).collect::<Vec<_>>());
            for &root in forest.roots.iter().chain(&forest.strays) {
                proptest::prop_assert!(depth(&forest, root) <= DEPTH_MAX + 1);
            }
        }
    }

    #[test]
    fn a_deep_chain_is_flattened_in_order() {
        let parents: Vec<Option<usize>> = (0..5000_usize).map(|i| i.checked_sub(1)).collect();
        let forest = plant(&intent(&parents));
        assert_eq!(forest.roots, [0]);
        assert!(depth(&forest, 0) <= DEPTH_MAX + 1);
        let flattened: Vec<usize> = (DEPTH_MAX..5000).collect();
        assert_eq!(forest.children[DEPTH_MAX - 1], flattened);
    }
}
