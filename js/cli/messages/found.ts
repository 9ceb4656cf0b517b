import type { AlvariumError } from '../../base/errors.js'

/** A message out of a source. */
export interface Found {
  /** Where it was, for people. */
  readonly place: string
  /** The JSON message; or why there is none, which is `MESSAGE_MALFORMED`. */
  readonly message: Uint8Array | AlvariumError
}
