import { toBase64 } from '../../foundation/base/bytes/base64.js'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { expected } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { noteKeyIn, typedEd25519 } from '../../signing/keys/forms/note-key.js'
import { type KeyHolder, keyHolderOf } from '../../signing/keys/key-holder.js'
import { Keyring } from '../../signing/keys/keyring.js'
import { assertSigned } from '../../signing/keys/keyring-use.js'
import type { SignerInput } from '../../signing/keys/signer.js'
import { noteKeyId } from './note.js'

const KEY_BYTES = 32
const SIGNER_MS = 10_000

export interface LogVerifier {
  readonly origin: string
  readonly keyId: string
  /** Verifier key of C2SP signed-note: `origin+keyId+base64`. */
  readonly vkey: string
  /** @throws AlvariumError `SIGNATURE_INVALID` when this key does not verify the signature */
  assertSigned(text: string, signature: Uint8Array): void
}

export interface LogSigner extends LogVerifier {
  /** @throws AlvariumError `SIGNER_FAILED` */
  sign(text: string): Promise<Uint8Array>
}

/** Opens a log's private key. @throws AlvariumError `KEY_INVALID`; `CONFIG_INVALID` unless it is Ed25519 */
export async function logSigner(origin: string, signingKey: SignerInput): Promise<LogSigner> {
  const holder = await ed25519Holder(signingKey, 'log.signingKey')
  const sign = (text: string) => holder.sign(new TextEncoder().encode(text))
  return { ...verifierOf(origin, holder.key), sign }
}

/** Opens a private key that signs notes. @throws AlvariumError `KEY_INVALID`; `CONFIG_INVALID` unless it is Ed25519 */
export async function ed25519Holder(signingKey: SignerInput, field: string): Promise<KeyHolder> {
  const holder = await keyHolderOf(signingKey, SIGNER_MS)
  if (holder.key.length === KEY_BYTES) return holder
  throw expected('CONFIG_INVALID', field, 'a private key of Ed25519', 'a key of another algorithm')
}

/**
 * Reads the verifier key of a log.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function logVerifier(vkey: string): LogVerifier {
  const found = noteKeyIn(vkey)
  if (found) return verifierOf(found.name, found.key)
  throw expected('CONFIG_INVALID', 'vkey', 'the public key of a log: name+key id+Ed25519 key', quote(vkey))
}

function verifierOf(origin: string, key: Uint8Array): LogVerifier {
  const keyId = toHex(noteKeyId(origin, key))
  const keyring = new Keyring()
  const name = keyring.add(key)
  return {
    origin,
    keyId,
    vkey: `${origin}+${keyId}+${toBase64(typedEd25519(key))}`,
    assertSigned: (text, signature) => assertSigned(keyring, name, new TextEncoder().encode(text), signature),
  }
}
