/** Memory limits of a subscription, each for all signers in total. */
export interface Bounds {
  /** Maximum number of signers to remember. Each needs about 2 KB of memory. */
  readonly signers: number
  /** Maximum number of messages to remember. Each needs about 150 bytes of memory. */
  readonly messages: number
  /** Maximum size in bytes of all checkpoints that wait to be evaluated. */
  readonly waitingBytes: number
}

export const BOUNDS: Bounds = { signers: 65_536, messages: 1_000_000, waitingBytes: 256 * 1024 * 1024 }
