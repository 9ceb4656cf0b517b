import { Extent } from '../../foundation/core/core.js'
import type { IdentifiedBundle } from '../../foundation/model/bundle.js'
import { assertKnown, assertSigned } from '../../signing/keys/keyring-use.js'
import { copyLeases } from '../../signing/keys/lease-options.js'
import { claimsIn } from '../../signing/keys/outside-verifier.js'
import { receivedMs } from '../../signing/keys/trust-policy.js'
import { permit, type VerifiedBundle, type VerifyOptions, withLeases } from './options.js'

export interface ShortInputs {
  readonly size: number
  readonly root: string
}

export type ShortBundle = Omit<VerifiedBundle, 'inputs'> & { readonly inputs: ShortInputs }

/**
 * @internal Verifies the JSON of a bundle without its inputs. The result has the id of the whole bundle, but
 * no other function accepts it in place of the whole one.
 */
export function verifyShort(
  text: Uint8Array,
  options: Pick<VerifyOptions, 'keyring' | 'receivedAt' | 'leases' | 'checkpoints'>,
): Promise<ShortBundle> {
  const receivedAt = receivedMs(options.receivedAt)
  return withLeases(options, copyLeases(options), (trusting) => {
    const { keyring } = trusting
    const claimed = keyring.use((verifier) => verifier.claimed(text, Extent.Short))
    const { identity, signer, signature, bundles } = claimsIn(claimed)
    assertKnown(keyring, signer)
    assertSigned(keyring, signer, identity, signature)
    const bundle: IdentifiedBundle[] = JSON.parse(new TextDecoder().decode(bundles))
    return permit(bundle, trusting, receivedAt, () => identity)[0] as unknown as ShortBundle
  })
}
