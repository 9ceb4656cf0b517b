import { withSigner } from '../../foundation/base/errors.js'
import { withCore } from '../../foundation/core/core.js'
import type { Bundle } from '../../foundation/model/bundle.js'
import type { PayloadSource, SourceOptions } from '../../foundation/model/payload.js'
import { digestSource } from '../../signing/sources/source.js'

/**
 * @internal Asserts that a bundle is about the payload of a source, which is read only now. Throws `PAYLOAD_MISMATCH`,
 * and as `digested` does.
 */
export async function checkSource(
  { hash, key, signer }: Bundle,
  source: PayloadSource,
  { signal, onProgress }: SourceOptions,
): Promise<void> {
  const { digest } = await digestSource(source, { hash, signal, onProgress })
  withSigner(signer, () => withCore((core) => core.checkPayload(hash, key, digest, true)))
}
