//! Tests the tree of RFC 9162 §2.1, and that a proof holds only for one leaf at one index.

use alvarium_core::merkle::{Frontier, Parents, Tree, leaf};
use proptest::prelude::*;

/// Inputs and roots from the reference implementation of RFC 6962. RFC 9162 has the same tree.
const INPUTS: [&str; 8] =
    ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
const ROOTS: [&str; 8] = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

fn root_from(leaf: [u8; 32], index: usize, size: usize, path: &[[u8; 32]]) -> Option<[u8; 32]> {
    Parents::default().root_from(leaf, index, size, path)
}

fn leaves(count: usize) -> Vec<[u8; 32]> {
    (0..count).map(|at| leaf(&at.to_be_bytes())).collect()
}

/// Computes the root by the definition in RFC 9162 §2.1.1, which splits at the largest power of two below
/// the size.
fn root_by_definition(leaves: &[[u8; 32]]) -> [u8; 32] {
    use sha2::{Digest as _, Sha256};
    match leaves {
        [alone] => *alone,
        _ => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            let (left, right) = (root_by_definition(left), root_by_definition(right));
            Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
        }
    }
}

// claim: format-28
#[test]
fn roots_are_those_of_the_reference_implementation() {
    let leaves: Vec<_> = INPUTS.iter().map(|hex| leaf(&base16ct::lower::decode_vec(hex).unwrap())).collect();
    for (size, root) in (1..).zip(ROOTS) {
        assert_eq!(base16ct::lower::encode_string(&Tree::new(&leaves[..size]).root()), root);
    }
}

#[test]
fn every_leaf_of_every_small_tree_is_proven() {
    for size in 1..70 {
        let tree = Tree::new(&leaves(size));
        assert_eq!(tree.root(), root_by_definition(&leaves(size)));
        for (index, leaf) in leaves(size).into_iter().enumerate() {
            assert_eq!(
                root_from(leaf, index, size, &tree.path(index)),
                Some(tree.root()),
                "{index} of {size}"
            );
        }
    }
}

#[test]
fn a_tree_that_grows_is_the_one_that_is_made_at_once() {
    for size in [1, 2, 63, 64, 127, 128, 129, 255, 1000, 8191] {
        let (all, mut tree, mut pushed) = (leaves(size), Tree::default(), Tree::default());
        for some in all.chunks(1 + size / 7) {
            tree.grow(some);
        }
        tree.end();
        for at in 0..size {
            pushed.push(|bytes| bytes.extend([&[0], &at.to_be_bytes()[..]].concat()));
        }
        assert_eq!(pushed.len(), size);
        pushed.end();
        for grown in [tree, pushed] {
            assert_eq!((grown.len(), grown.leaves()), (size, &all[..]));
            assert_eq!(grown.root(), root_by_definition(&all));
            assert_eq!(root_from(all[size - 1], size - 1, size, &grown.path(size - 1)), Some(grown.root()));
        }
    }
}

#[test]
fn no_leaf_is_proven_by_what_was_computed_for_another() {
    let mut parents = Parents::default();
    let (tree, stranger) = (Tree::new(&leaves(256)), Tree::new(&leaves(257)[1..]));
    for (index, leaf) in leaves(256).into_iter().enumerate() {
        assert_eq!(parents.root_from(leaf, index, 256, &tree.path(index)), Some(tree.root()));
    }
    for (index, leaf) in leaves(256).into_iter().enumerate() {
        let (next, path) = ((index + 1) % 256, tree.path(index));
        assert_ne!(parents.root_from([0; 32], index, 256, &path), Some(tree.root()));
        assert_ne!(parents.root_from(leaf, next, 256, &path), Some(tree.root()));
        assert_ne!(parents.root_from(leaf, index, 256, &stranger.path(index)), Some(tree.root()));
        for at in 0..path.len() {
            let mut altered = path.clone();
            altered[at][31] ^= 1;
            assert_ne!(parents.root_from(leaf, index, 256, &altered), Some(tree.root()));
            assert_eq!(parents.root_from(leaf, index, 256, &path), Some(tree.root()));
        }
    }
}

#[test]
fn nodes_that_are_all_zero_are_hashed_like_others() {
    let zero = [[0; 32]];
    assert_eq!(root_from([0; 32], 0, 2, &zero), Some(Tree::new(&[[0; 32]; 2]).root()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn what_was_computed_before_changes_no_root(
        climbs in prop::collection::vec((1_usize..300, any::<prop::sample::Index>(), 0_u8..4, 0_usize..12), 1..30),
    ) {
        let mut parents = Parents::default();
        for (size, index, altered, at) in climbs {
            let index = index.index(size);
            let mut path = Tree::new(&leaves(size)).path(index);
            if let Some(node) = path.get_mut(at).filter(|_| altered == 0) {
                node[0] ^= 1;
            }
            let leaf = leaf(&index.to_be_bytes());
            prop_assert_eq!(parents.root_from(leaf, index, size, &path), root_from(leaf, index, size, &path));
        }
    }
}

proptest! {
    #[test]
    fn a_proof_holds_for_nothing_else(
        size in 1_usize..600, index in any::<prop::sample::Index>(), other in any::<prop::sample::Index>(),
        flip in any::<prop::sample::Index>(),
    ) {
        let (all, index, other) = (leaves(size), index.index(size), other.index(size));
        let tree = Tree::new(&all);
        let path = tree.path(index);
        let proves = |leaf, index, size, path: &[[u8; 32]]| root_from(leaf, index, size, path) == Some(tree.root());
        prop_assert!(proves(all[index], index, size, &path));
        prop_assert_eq!(proves(all[other], index, size, &path), other == index);
        prop_assert_eq!(proves(all[index], other, size, &path), other == index);
        prop_assert!(!proves(all[index], size, size, &path));
        prop_assert!(!proves(leaf(b"another"), index, size, &path));
        prop_assert!(!proves(all[index], index, size, &[&path[..], &[[0; 32]]].concat()));
        if !path.is_empty() {
            prop_assert!(!proves(all[index], index, size, &path[1..]));
            let mut altered = path.clone();
            altered[flip.index(path.len())][flip.index(32)] ^= 1;
            prop_assert!(!proves(all[index], index, size, &altered));
        }
    }
}

#[test]
fn a_frontier_has_the_root_of_the_tree_whatever_comes_together() {
    let leaves = leaves(200);
    let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(base16ct::lower::encode_string(&Frontier::default().root()), nothing);
    for together in [1, 2, 3, 7, 64, 65, 200] {
        let mut frontier = Frontier::default();
        let mut size = 0;
        for some in leaves.chunks(together) {
            frontier.grow(some);
            size += some.len();
            assert_eq!(
                frontier.root(),
                root_by_definition(&leaves[..size]),
                "of {size}, {together} at a time"
            );
        }
    }
}
