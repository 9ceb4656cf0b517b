import { isDeviceOrSocket } from '#platform'
import type { Annotator } from './annotator.js'

/** Where to look for a TPM. */
export interface TpmOptions {
  /** Devices and sockets, any of which will do. Default: Linux's `/dev/tpmrm0` and `/dev/tpm0`. */
  readonly paths?: readonly string[]
}

/** Hardware does not come and go between two calls, and looking costs more than signing. */
const LOOK_AGAIN_MS = 1000

/** `tpm`: a Trusted Platform Module is there. Never satisfied in browsers, which show none. */
export function tpm({ paths = ['/dev/tpmrm0', '/dev/tpm0'] }: TpmOptions = {}): Annotator<'tpm'> {
  let isThere = false
  let lookAgainAt = Number.NEGATIVE_INFINITY
  return {
    kind: 'tpm',
    isSatisfied: () => {
      const now = performance.now()
      if (now >= lookAgainAt) {
        isThere = paths.some(isDeviceOrSocket)
        lookAgainAt = now + LOOK_AGAIN_MS
      }
      return isThere
    },
  }
}
