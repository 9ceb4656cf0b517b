import * as v from 'valibot'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { platform } from '../../foundation/platform/platform.js'
import type { Annotator } from './annotator.js'

/** Places of a TPM. */
export interface TpmOptions {
  /**
   * Devices and sockets, any of which is enough. Default: Linux's `/dev/tpmrm0` and `/dev/tpm0`; on Windows, the output of its `tpmtool`.
   */
  readonly paths?: readonly string[] | undefined
}

const schema = strict({ paths: v.optional(v.array(v.string('a path'), 'an array of paths')) })

/** Interval of looking for the TPM again: hardware rarely changes between two calls, and looking costs more than signing. */
const LOOK_AGAIN_MS = 1000
const LINUX = ['/dev/tpmrm0', '/dev/tpm0']

/**
 * Makes the annotator `tpm`: a Trusted Platform Module is present. It is never satisfied in browsers, which show none.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option
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

/** Returns whether one of the places has a TPM. @throws the first error of looking, if no other place has one */
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
