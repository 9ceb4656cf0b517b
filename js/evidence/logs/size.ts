/** Size of a log, and the root over it: 64 lower-case hexadecimal digits. */
export interface LogSize {
  /** Messages. */
  readonly size: number
  /** RFC 9162 §2.1.1. */
  readonly root: string
}
