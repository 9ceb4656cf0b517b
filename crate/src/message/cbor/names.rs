//! Members by their numbers (`FORMAT.md`, "CBOR").

/// The name of each number. Numbers are never given to another member.
pub(super) const NAMES: [&str; 21] = [
    "action",
    "messageType",
    "content",
    "signature",
    "signer",
    "key",
    "previousKey",
    "hash",
    "host",
    "layer",
    "timestamp",
    "annotations",
    "id",
    "kind",
    "tag",
    "isSatisfied",
    "bundles",
    "proof",
    "index",
    "size",
    "path",
];

/// The number of each member, in the order of [`NAMES`].
#[derive(Clone, Copy)]
pub(super) enum Member {
    Action,
    MessageType,
    Content,
    Signature,
    Signer,
    Key,
    PreviousKey,
    Hash,
    Host,
    Layer,
    Timestamp,
    Annotations,
    Id,
    Kind,
    Tag,
    IsSatisfied,
    Bundles,
    Proof,
    Index,
    Size,
    Path,
}
