import type { HashName } from '../model/bundle.js'

/** One annotation as the Go, Java, Rust and Python SDKs write it: each is signed on its own. */
export interface ClassicAnnotation {
  /** A ULID: 26 characters. The generators of some SDKs can give the same one twice. */
  readonly id: string
  /**
   * The key of what it speaks about, as sent: hexadecimal in upper case from Go and Java, in lower case from Rust and
   * Python. With hash `none` it is the payload itself, which Go writes in upper case.
   */
  readonly key: string
  readonly hash: HashName
  /** The machine that made it; empty where the SDK says nothing. */
  readonly host: string
  /** What the operator wants to find it by; empty where the SDK says nothing. */
  readonly tag: string
  /** Where in the stack it was made; empty where the SDK says nothing, as Python's never does. */
  readonly layer: string
  /** Which check this was: `src`, `tls`, … */
  readonly kind: string
  /** The answer. */
  readonly isSatisfied: boolean
  /** RFC 3339, exactly as it was signed. */
  readonly timestamp: string
}
