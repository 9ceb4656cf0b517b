/** Memory bounds of a subscription, for the total of its signers. */
export interface Bounds {
  /** Number of signers, about 2 KB each. */
  readonly signers: number
  /** Number of messages, about 150 bytes each. */
  readonly messages: number
  /** Bytes of checkpoints that wait. */
  readonly waitingBytes: number
}

export const BOUNDS: Bounds = { signers: 65_536, messages: 1_000_000, waitingBytes: 256 * 1024 * 1024 }
