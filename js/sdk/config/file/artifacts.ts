import { missing } from '../../../foundation/base/missing.js'

/** Loads the package with the annotators that check files. `#artifacts` is this module in Node. */
export async function loadArtifacts(): Promise<typeof import('alvarium-artifacts')> {
  try {
    return await import('alvarium-artifacts')
  } catch (cause) {
    throw missing('alvarium-artifacts', cause)
  }
}
