/** Size and root of a log. */
export interface LogSize {
  /** Number of entries. In the log of a run, each entry is a message. */
  readonly size: number
  /** Root of the Merkle tree (RFC 9162 §2.1.1): 64 lower-case hexadecimal digits. */
  readonly root: string
}
