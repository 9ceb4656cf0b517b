import { expected } from '../../../foundation/base/errors.js'

/** Refuses annotators that check files. `#artifacts` is this module on platforms without files. */
export async function loadArtifacts(): Promise<never> {
  throw expected(
    'CONFIG_INVALID',
    'annotators',
    'kinds that need no files, which only Node has',
    'one that does',
  )
}
