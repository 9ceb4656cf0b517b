import { expected } from '../../../foundation/base/errors.js'

/** Refuses annotators that check files on platforms without files: `#artifacts` outside of Node. */
export async function loadArtifacts(): Promise<never> {
  throw expected(
    'CONFIG_INVALID',
    'annotators',
    'kinds that need no files, which only Node has',
    'one that does',
  )
}
