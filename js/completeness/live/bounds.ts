/** What there may be in memory of all signers of a subscription together, at most. */
export interface Bounds {
  /** About 2 KB each. */
  readonly signers: number
  /** About 150 bytes each. */
  readonly messages: number
  /** Of checkpoints that wait. */
  readonly waitingBytes: number
}

export const BOUNDS: Bounds = { signers: 65_536, messages: 1_000_000, waitingBytes: 256 * 1024 * 1024 }
