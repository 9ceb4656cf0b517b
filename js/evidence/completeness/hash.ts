import { withCore } from '../../foundation/core/core.js'

export function sha256(bytes: Uint8Array): Uint8Array {
  return withCore((core) => core.sha256Many(bytes, Uint32Array.of(bytes.length)))
}
