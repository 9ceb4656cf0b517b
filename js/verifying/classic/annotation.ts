import type { HashName } from '../../foundation/model/bundle.js'

/** One annotation as the Go, Java, Rust and Python SDKs write it: each is signed separately. */
export interface ClassicAnnotation {
  /** ULID of 26 characters. The generators of some SDKs can return the same one twice. */
  readonly id: string
  /**
   * Key of the annotated payload, as received: hexadecimal in upper case from Go and Java, in lower case from Rust and Python. With hash
   * `none` it is the payload itself, which Go writes in upper case.
   */
  readonly key: string
  readonly hash: HashName
  /** Host that made the annotation; empty if the SDK does not state it. */
  readonly host: string
  /** Tag by which the operator finds the annotation; empty if the SDK does not state it. */
  readonly tag: string
  /** Layer of the stack in which the annotation was made; empty if the SDK does not state it, as Python's never does. */
  readonly layer: string
  /** Kind of the check: `src`, `tls`, … */
  readonly kind: string
  /** Result of the check. */
  readonly isSatisfied: boolean
  /** Time in RFC 3339, exactly as it was signed. */
  readonly timestamp: string
}
