import { expected, ofSigner } from '../../foundation/base/errors.js'
import { withNoun } from '../../foundation/base/text/text.js'
import type { Keyring } from './keyring.js'

/** Asserts that a keyring has a key with this id. @throws AlvariumError `SIGNER_UNKNOWN` */
export function assertKnown(keyring: Keyring, signer: string): void {
  if (keyring.ed25519(signer) || keyring.outside?.knows(signer)) return
  throw ofSigner(
    signer,
    expected('SIGNER_UNKNOWN', 'signer', `one in the keyring of ${withNoun(keyring.size, 'key')}`, signer),
  )
}
