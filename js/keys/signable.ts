import { assertBytes } from '../base/errors.js'

const MOST_SIGNABLE = 16 * 1024 * 1024

/** @throws TypeError, RangeError for what is not signed in one piece */
export function assertSignable(bytes: Uint8Array): void {
  assertBytes(bytes, 'bytes')
  if (bytes.length > MOST_SIGNABLE) {
    throw new RangeError(`bytes: expected at most ${MOST_SIGNABLE} bytes, got ${bytes.length}`)
  }
}
