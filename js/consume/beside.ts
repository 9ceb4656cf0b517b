/** What signers publish beside their bundles has one spelling each, which begins like no bundle (FORMAT.md, chapters 11 and 12). */
const [LEASE, CHECKPOINT] = ['Lease', 'Checkpoint'].map((type) =>
  new TextEncoder().encode(`{"messageType":"alvarium.${type}/1"`),
) as [Uint8Array, Uint8Array]

export function isLease(message: Uint8Array): boolean {
  return LEASE.every((byte, at) => message[at] === byte)
}

/** Whether a message is for those who take leases or checkpoints, and nothing to anybody else. */
export function isBesideBundles(message: Uint8Array): boolean {
  return isLease(message) || CHECKPOINT.every((byte, at) => message[at] === byte)
}
