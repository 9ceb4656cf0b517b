import * as v from 'valibot'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { platform } from '../../foundation/platform/platform.js'
import type { Annotator } from './annotator.js'

/** Options of `tpm`: the paths where it looks for a TPM. */
export interface TpmOptions {
  /** Paths of devices and sockets; one must exist. Default: `/dev/tpmrm0` and `/dev/tpm0`; on Windows, `tpmtool`. */
  readonly paths?: readonly string[] | undefined
}

const schema = strict({ paths: v.optional(v.array(v.string('a path'), 'an array of paths')) })

/** Time for which the answer is cached, in milliseconds, because a look-up takes longer than signing. */
const LOOK_AGAIN_MS = 1000
const LINUX = ['/dev/tpmrm0', '/dev/tpm0']

/**
 * Creates the annotator `tpm`: a Trusted Platform Module is present. It is never satisfied in browsers, which do not
 * reveal a TPM.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the invalid option
 *
 * @example
 * ```ts
 * await using sdk = await openSdk({ signingKey, annotators: [tpm()], layer: 'host', stream })
 * ```
 */
export function tpm(options: TpmOptions = {}): Annotator<'tpm'> {
  const { paths } = readOptions(schema, options, 'tpm')
  let isThere: boolean | Promise<boolean> = false
  let lookAgainAt = Number.NEGATIVE_INFINITY
  return {
    kind: 'tpm',
    isSatisfied: () => {
      const now = performance.now()
      if (now >= lookAgainAt) {
        isThere = (paths ? undefined : platform.windowsTpm?.()) ?? isOneThere(paths ?? LINUX)
        lookAgainAt = now + LOOK_AGAIN_MS
      }
      return isThere
    },
  }
}

/** Returns whether one of the paths is a TPM. @throws the first error of a path, if no other path is a TPM */
function isOneThere(paths: readonly string[]): boolean {
  let fault: unknown
  for (const path of paths) {
    try {
      if (platform.isDeviceOrSocket?.(path)) return true
    } catch (error) {
      fault ??= error
    }
  }
  if (fault !== undefined) throw fault
  return false
}
