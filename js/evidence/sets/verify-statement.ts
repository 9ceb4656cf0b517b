import { toBytes } from '../../foundation/base/bytes/hex.js'
import { assertKnown, assertSigned } from '../../signing/keys/keyring-use.js'
import { receivedMs, type SignedBy } from '../../signing/keys/trust-policy.js'
import { type VerifyOptions, withTrusted } from '../../verifying/verify/options.js'
import type { Statement } from './statement.js'

/**
 * Verifies the signature of a statement, and that a policy permits it.
 *
 * @param identity - signed bytes
 * @returns owner of the key, if a policy was evaluated
 * @throws TypeError when `receivedAt` is not a time
 * @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`; with a trust policy also `SIGNER_NOT_ALLOWED`, `SIGNER_EXPIRED` and
 * `SIGNER_REVOKED`
 */
export async function verifyStatement(
  { signature, ...statement }: Statement & { readonly signature: string },
  identity: Uint8Array,
  options: Pick<VerifyOptions, 'keyring' | 'receivedAt'>,
): Promise<{ readonly signedBy?: SignedBy }> {
  const receivedAt = receivedMs(options.receivedAt)
  return withTrusted(options, ({ keyring, judge }) => {
    assertKnown(keyring, statement.signer)
    assertSigned(keyring, statement.signer, identity, toBytes(signature) as Uint8Array)
    return judge ? { signedBy: judge.set(statement, receivedAt) } : {}
  })
}
