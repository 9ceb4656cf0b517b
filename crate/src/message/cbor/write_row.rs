//! Writes a bundle of a batch as a row. Shared members are written once and then by number. Ids and times that are
//! close to the last ones are written as differences.

use super::{
    names::Member,
    rows::{MemberTable, RowWriter},
    write::Writer,
};
use crate::{bundle::Bundle, inputs::Inputs};
use alloc::vec::Vec;

impl Writer {
    pub(super) fn row(&mut self, bundle: &Bundle<'_>, rows: &mut RowWriter) {
        let is_made = bundle.previous_key.is_some() || bundle.inputs.is_some();
        let _ = self.0.array((3 + bundle.annotations.len() + usize::from(is_made)) as u64);
        self.members(bundle, &mut rows.members);
        for annotation in &bundle.annotations {
            let id = annotation.id.number();
            match rows.last.id_difference(id) {
                Some(difference) => drop(self.0.u64(difference.into())),
                None => drop(self.0.bytes(&id.to_be_bytes())),
            }
        }
        match rows.last.time_difference(&bundle.timestamp) {
            Some(difference) => drop(self.0.u64(difference.into())),
            None => drop(self.0.str(&bundle.timestamp)),
        }
        self.key_item(&bundle.key, bundle.hash);
        if let Some(previous) = &bundle.previous_key {
            self.key_item(previous, bundle.hash);
        }
        if let Some(Inputs::All(inputs)) = &bundle.inputs {
            self.input_items(inputs);
        }
    }

    /// Writes the shared members of a bundle, or their number if an earlier row has the same members.
    #[inline(never)]
    fn members(&mut self, bundle: &Bundle<'_>, known: &mut MemberTable) {
        let members = shared_members(bundle);
        if let Some(number) = known.number_of(&members) {
            let _ = self.0.u64(number as u64);
        } else {
            self.append(&members);
        }
    }
}

fn shared_members(bundle: &Bundle<'_>) -> Vec<u8> {
    let mut to = Writer::default();
    to.map(5);
    to.text(Member::Action, bundle.action.as_str());
    to.text(Member::Hash, bundle.hash.as_str());
    to.text(Member::Host, &bundle.host);
    to.text(Member::Layer, bundle.layer.as_str());
    to.array(Member::Annotations, bundle.annotations.len());
    for annotation in &bundle.annotations {
        to.map(3);
        to.answer(annotation);
    }
    to.into_bytes()
}
