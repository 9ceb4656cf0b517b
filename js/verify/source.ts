import { asSignedBy } from '../base/errors.js'
import { withCore } from '../core/core.js'
import type { Bundle } from '../model/bundle.js'
import type { PayloadSource, SourceOptions } from '../model/payload.js'
import { digested } from '../sources/source.js'

/**
 * @internal Asserts that a bundle is about the payload of a source, which is read only now. Throws `PAYLOAD_MISMATCH`,
 * and as `digested` does.
 */
export async function checkSource(
  { hash, key, signer }: Bundle,
  source: PayloadSource,
  { signal, onProgress }: SourceOptions,
): Promise<void> {
  const { digest } = await digested(source, { hash, signal, onProgress })
  asSignedBy(signer, () => withCore((core) => core.checkPayload(hash, key, digest, true)))
}
