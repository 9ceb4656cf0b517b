import { toBase64 } from '../../foundation/base/bytes/base64.js'
import { toBytes, toHex } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, expected } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { NOTE_TYPES, noteKeyHash, noteKeyIn, typedEd25519 } from '../../signing/keys/forms/note-key.js'
import { Keyring } from '../../signing/keys/keyring.js'
import { assertSigned } from '../../signing/keys/keyring-use.js'
import type { SignerInput } from '../../signing/keys/signer.js'
import { ed25519Holder } from '../logs/key.js'
import { signatureLine } from '../logs/note.js'
import { type Cosignature, cosignedBytes, writeCosignature } from './cosignature.js'

export interface WitnessVerifier {
  readonly name: string
  readonly keyId: string
  /** Verifier key of C2SP signed-note: `name+keyId+base64`. */
  readonly vkey: string
  verifies(text: string, cosignature: Cosignature): boolean
}

export interface WitnessSigner extends WitnessVerifier {
  /**
   * Signs the text of a checkpoint, and returns the signature line for the note.
   *
   * @throws AlvariumError `SIGNER_FAILED`
   */
  cosign(text: string, time: number): Promise<string>
}

/**
 * Reads the verifier key of a witness.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function witnessVerifier(vkey: string, field: string): WitnessVerifier {
  const found = noteKeyIn(vkey, NOTE_TYPES.witness)
  if (found) return verifierOf(found.name, found.key)
  throw expected('CONFIG_INVALID', field, 'the public key of a witness: name+key id+Ed25519 key', quote(vkey))
}

/**
 * Opens a witness's key.
 *
 * @throws AlvariumError `KEY_INVALID`; `CONFIG_INVALID` for a key other than Ed25519
 */
export async function witnessSigner(name: string, signingKey: SignerInput): Promise<WitnessSigner> {
  const holder = await ed25519Holder(signingKey, 'witness.signingKey')
  const verifier = verifierOf(name, holder.key)
  const keyId = toBytes(verifier.keyId) as Uint8Array
  const cosign = async (text: string, time: number) => {
    const signature = await holder.sign(cosignedBytes(time, text))
    return signatureLine(name, keyId, writeCosignature({ time, signature }))
  }
  return { ...verifier, cosign }
}

function verifierOf(name: string, key: Uint8Array): WitnessVerifier {
  const typed = typedEd25519(key, NOTE_TYPES.witness)
  const keyId = toHex(noteKeyHash(name, typed))
  const keyring = new Keyring()
  const id = keyring.add(key)
  const verifies = (text: string, { time, signature }: Cosignature) => {
    try {
      assertSigned(keyring, id, cosignedBytes(time, text), signature)
      return true
    } catch (error) {
      if (error instanceof AlvariumError && error.code === 'SIGNATURE_INVALID') return false
      throw error
    }
  }
  return { name, keyId, vkey: `${name}+${keyId}+${toBase64(typed)}`, verifies }
}
