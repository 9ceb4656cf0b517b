//! Tests the layers in [`FLOORS`]: a module uses only modules of lower layers. No crate has circular uses.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};
use syn::{UseTree, visit::Visit};

/// Modules of each layer, from the lowest layer up.
const FLOORS: [&[&str]; 11] = [
    &["error", "lanes", "limits", "prefixed", "runtime", "timestamp", "ulid"],
    &["sha256x4"],
    &["digest"],
    &["keys", "merkle"],
    &["inputs"],
    &["bundle"],
    &["identity", "message"],
    &["batch"],
    &["seal"],
    &["crossing", "verify"],
    &["wasm"],
];

type ModulePath = Vec<String>;
/// Modules that each module uses, by their paths from the crate's root.
type Uses = BTreeMap<ModulePath, BTreeSet<ModulePath>>;

#[test]
fn every_module_is_on_a_floor_and_uses_only_those_below() {
    let floor = |module: &str| FLOORS.iter().position(|names| names.contains(&module));
    for (module, used) in uses("src") {
        let [room, ..] = &module[..] else { continue };
        let own = floor(room).unwrap_or_else(|| panic!("{room}: expected it on a floor of the map"));
        for other in used.iter().filter_map(|path| path.first()).filter(|other| *other != room) {
            let below = floor(other).is_some_and(|theirs| theirs < own);
            assert!(below, "{}: expected only modules on floors below, got {other}", module.join("::"));
        }
    }
}

#[test]
fn there_are_no_circles() {
    for root in ["src", "algorithms/src", "ed25519x4/src", "unpack/src"] {
        assert_no_circles(&uses(root));
    }
}

fn assert_no_circles(uses: &Uses) {
    assert!(uses.len() > 1, "expected modules");
    for module in uses.keys() {
        let mut seen = BTreeSet::new();
        let mut next: Vec<_> = uses[module].iter().collect();
        while let Some(other) = next.pop() {
            assert_ne!(other, module, "{}: expected no way back to it", module.join("::"));
            if seen.insert(other) {
                next.extend(uses.get(other).into_iter().flatten());
            }
        }
    }
}

#[test]
fn the_map_names_no_module_that_is_gone() {
    let uses = uses("src");
    for module in FLOORS.concat() {
        assert!(uses.contains_key(&vec![module.to_owned()]), "{module}: expected a module");
    }
}

/// Returns the uses of each module below a folder of the workspace.
fn uses(root: &str) -> Uses {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(root);
    let files: Vec<_> = modules(&root, &[]).into_iter().filter(|(module, _)| !module.is_empty()).collect();
    let known: BTreeSet<_> = files.iter().map(|(module, _)| module.clone()).collect();
    let used = |(module, text): (ModulePath, String)| {
        let mut names = Names { module: &module, known: &known, found: BTreeSet::new() };
        names.visit_file(&syn::parse_file(&text).unwrap());
        let found = names.found;
        (module, found)
    };
    files.into_iter().map(used).collect()
}

/// Returns every file below a folder, with its module path and its text.
fn modules(folder: &Path, parent: &[String]) -> Vec<(ModulePath, String)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all = Vec::new();
    for path in entries {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let module =
            if matches!(&*name, "mod" | "lib") { parent.to_vec() } else { [parent, &[name]].concat() };
        if path.is_dir() {
            all.extend(modules(&path, &module));
        } else {
            all.push((module, fs::read_to_string(&path).unwrap()));
        }
    }
    all
}

/// Collects the modules that a file uses: in `use`, and in paths that begin with `crate`, `super`, or a child module.
struct Names<'a> {
    module: &'a ModulePath,
    known: &'a BTreeSet<ModulePath>,
    found: BTreeSet<ModulePath>,
}

impl Names<'_> {
    fn add(&mut self, path: &[String]) {
        let up = path.iter().take_while(|segment| *segment == "super").count();
        let from = match path.first().map(String::as_str) {
            Some("crate") => [].as_slice(),
            Some("super") => &self.module[..self.module.len() - up],
            Some(first) if self.has_child(first) => &self.module[..],
            _ => return,
        };
        let prefix = if from.len() == self.module.len() { 0 } else { up.max(1) };
        let mut full = [from, &path[prefix..]].concat();
        while !self.known.contains(&full) && full.pop().is_some() {}
        if !full.is_empty() && full != *self.module {
            self.found.insert(full);
        }
    }

    fn has_child(&self, name: &str) -> bool {
        self.known.contains(&[&self.module[..], &[name.to_owned()]].concat())
    }

    fn walk(&mut self, tree: &UseTree, path: &mut ModulePath) {
        match tree {
            UseTree::Path(one) => {
                path.push(one.ident.to_string());
                self.walk(&one.tree, path);
                path.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|item| self.walk(item, path)),
            UseTree::Name(name) => self.add(&[&path[..], &[name.ident.to_string()]].concat()),
            UseTree::Rename(rename) => self.add(&[&path[..], &[rename.ident.to_string()]].concat()),
            UseTree::Glob(_) => self.add(path),
        }
    }
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        // Skip re-exports: a folder's module re-exports items of its files, which is not a use.
        if matches!(item.vis, syn::Visibility::Inherited) {
            self.walk(&item.tree, &mut Vec::new());
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: ModulePath = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(&names);
        syn::visit::visit_path(self, path);
    }

    /// Skips modules within the file, because there `super` means the file.
    fn visit_item_mod(&mut self, _: &'ast syn::ItemMod) {}
}
