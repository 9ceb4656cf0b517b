import type { HashName } from '../../foundation/model/bundle.js'

/** Annotation in the format of the Go, Java, Rust and Python SDKs, which sign each annotation separately. */
export interface ClassicAnnotation {
  /** ULID of 26 characters. It is not always unique, because the generators of some SDKs can repeat one. */
  readonly id: string
  /**
   * Payload key as received: hexadecimal in upper case from Go and Java, in lower case from Rust and Python.
   * With hash `none`, the key is the payload itself, which Go converts to upper case.
   */
  readonly key: string
  readonly hash: HashName
  /** Host that made the annotation; empty if the SDK does not write hosts. */
  readonly host: string
  /** Tag that the operator chose to find the annotation; empty if there is none. */
  readonly tag: string
  /** Stack layer in which the annotation was made; empty if the SDK does not write it, as in Python. */
  readonly layer: string
  /** Kind of the annotation, such as `src` or `tls`. */
  readonly kind: string
  /** True if the check was satisfied. */
  readonly isSatisfied: boolean
  /** Time in RFC 3339, exactly as signed. */
  readonly timestamp: string
}
