//! What is asked for nobody: which formats the server knows, and whether there is a path.

use sotto_encdns::formats;

use crate::upstream::outgoing::Outgoing;
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::types;

/// The name whose record says which formats the server knows. `None`: the zone is too long for it.
pub fn formats_name(zone: &Name) -> Option<Name> {
    let label = formats::LABEL;
    let wire = [&[label.len() as u8], label, zone.as_wire()].concat();
    Name::read(&wire, 0).ok().map(|(name, _)| name)
}

/// For the name servers of the root, which says nothing about anyone.
pub fn ours() -> Outgoing {
    Outgoing::of(Question { name: Name::ROOT, kind: types::NS, class: types::IN })
}
