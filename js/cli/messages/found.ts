import type { AlvariumError } from '../../base/errors.js'

/** A message out of a source. */
export interface Found {
  /** Where it was, for people. */
  readonly place: string
  /** The JSON message; or why there is none, which is `MESSAGE_MALFORMED`. */
  readonly message: Uint8Array | AlvariumError
  /** When it came, in milliseconds since 1970, where that is known: those that came together have one time. */
  readonly receivedAt?: number | undefined
}
