import { messagesOf } from '../../foundation/base/bytes/join.js'
import { Extent } from '../../foundation/core/core.js'
import type { IdentifiedBundle } from '../../foundation/model/bundle.js'
import { assertKnown, assertSigned } from '../../signing/keys/keyring-use.js'
import { copyLeases } from '../../signing/keys/lease-options.js'
import { SIGNATURE_LENGTH } from '../../signing/keys/outside-verifier.js'
import { receivedMs } from '../../signing/keys/trust-policy.js'
import { withLeases } from './leased.js'
import { permit, type VerifiedBundle, type VerifyOptions } from './options.js'

/** Number of a bundle's inputs, and the root of the Merkle tree over them. */
export interface ShortInputs {
  readonly size: number
  readonly root: string
}

/** Verified bundle with the root of its inputs in place of the inputs. */
export type ShortBundle = Omit<VerifiedBundle, 'inputs'> & { readonly inputs: ShortInputs }

/**
 * @internal Verifies the JSON of a bundle without its inputs. The result has the id of the whole bundle, but
 * no other function accepts it in place of the whole one.
 *
 * @throws AlvariumError as `verifyMessage` does without a payload
 */
export function verifyShort(
  text: Uint8Array,
  options: Pick<VerifyOptions, 'keyring' | 'receivedAt' | 'leases' | 'checkpoints'>,
): Promise<ShortBundle> {
  const receivedAt = receivedMs(options.receivedAt)
  return withLeases(options, copyLeases(options), (trusting) => {
    const { keyring } = trusting
    const claimed = messagesOf(keyring.use((verifier) => verifier.claimed(text, Extent.Short)))
    const [identity, signed, bundles] = claimed as [Uint8Array, Uint8Array, Uint8Array]
    const decoder = new TextDecoder()
    const signer = decoder.decode(signed.subarray(SIGNATURE_LENGTH))
    assertKnown(keyring, signer)
    assertSigned(keyring, signer, identity, signed.subarray(0, SIGNATURE_LENGTH))
    const bundle: IdentifiedBundle[] = JSON.parse(decoder.decode(bundles))
    return permit(bundle, trusting, receivedAt, () => identity)[0] as unknown as ShortBundle
  })
}
