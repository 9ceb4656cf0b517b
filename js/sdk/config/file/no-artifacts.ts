import { AlvariumError } from '../../../foundation/base/errors.js'

/** Refuses annotators that check files. `#artifacts` is this module on platforms without files. */
export async function loadArtifacts(): Promise<never> {
  throw new AlvariumError(
    'CONFIG_INVALID',
    'annotators: one of the kinds reads files, and works only in Node',
  )
}
