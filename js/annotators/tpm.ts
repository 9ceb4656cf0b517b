import { isDeviceOrSocket, windowsTpm } from '#platform'
import type { Annotator } from './annotator.js'

/** Where to look for a TPM. */
export interface TpmOptions {
  /**
   * Devices and sockets, any of which will do. Default: Linux's `/dev/tpmrm0` and `/dev/tpm0`; on Windows, what its
   * `tpmtool` says.
   */
  readonly paths?: readonly string[]
}

/** Hardware does not come and go between two calls, and looking costs more than signing. */
const LOOK_AGAIN_MS = 1000
const LINUX = ['/dev/tpmrm0', '/dev/tpm0']

/**
 * `tpm`: a Trusted Platform Module is there. Never satisfied in browsers, which show none.
 *
 * @example
 * ```ts
 * await using sdk = await openSdk({ signingKey, annotators: [tpm()], layer: 'host', stream })
 * ```
 */
export function tpm({ paths }: TpmOptions = {}): Annotator<'tpm'> {
  let isThere: boolean | Promise<boolean> = false
  let lookAgainAt = Number.NEGATIVE_INFINITY
  return {
    kind: 'tpm',
    isSatisfied: () => {
      const now = performance.now()
      if (now >= lookAgainAt) {
        isThere = (paths ? undefined : windowsTpm()) ?? (paths ?? LINUX).some(isDeviceOrSocket)
        lookAgainAt = now + LOOK_AGAIN_MS
      }
      return isThere
    },
  }
}
