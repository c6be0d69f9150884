//! What the system's DNS is now, compared with one entry of the journal.

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum State {
    Ours,
    /// only a part of it is as we set it; a give-back restores all of it
    Partly,
    /// as it was before we changed anything
    Before,
    /// another program has changed it since
    Other,
    /// the link no longer exists
    Gone,
}
