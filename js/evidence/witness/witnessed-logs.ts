import { toHex } from '../../foundation/base/bytes/hex.js'
import { readIfValid } from '../../foundation/base/errors.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import { assertSigned } from '../../signing/keys/keyring-use.js'
import { type LogVerifier, logVerifier } from '../logs/key.js'
import { type Note, noteKeyId, readNote, signatureOf } from '../logs/note.js'
import { runOriginIn } from '../logs/run-origin.js'

export class WitnessedLogs {
  readonly #logs: readonly LogVerifier[]
  readonly #signers: Keyring

  /**
   * @param vkeys - public keys of logs, `origin+id+key`; a log that has changed its key has two
   * @param signers - public keys of signers. A signer has a new log whenever an SDK begins to use its key
   * @throws AlvariumError `CONFIG_INVALID`
   */
  constructor(vkeys: readonly string[], signers: Keyring) {
    this.#logs = vkeys.map(logVerifier)
    this.#signers = signers
  }

  knows(origin: string): boolean {
    const run = runOriginIn(origin)
    return (
      this.#logs.some((log) => log.origin === origin) || (run !== undefined && this.#hasSigner(run.signer))
    )
  }

  /**
   * Returns the log's signature line in a note, if a public key of the log verifies the line; otherwise
   * undefined.
   */
  signatureIn(origin: string, note: string): string | undefined {
    const read = readNote(note)
    const run = runOriginIn(origin)
    if (run && this.#hasSigner(run.signer)) return this.#signatureOfRun(read, origin, run.signer)
    for (const { origin: name, keyId, assertSigned } of this.#logs) {
      const line =
        name === origin
          ? lineIfValid(read, name, keyId, (signature) => assertSigned(read.text, signature))
          : undefined
      if (line !== undefined) return line
    }
    return undefined
  }

  #hasSigner(keyId: string): boolean {
    return this.#signers.ed25519(keyId) !== undefined || this.#signers.ecKey(keyId) !== undefined
  }

  #signatureOfRun(read: Note, origin: string, signer: string): string | undefined {
    const keyId = toHex(noteKeyId(origin, this.#signers.ed25519(signer)))
    return lineIfValid(read, origin, keyId, (signature) =>
      assertSigned(this.#signers, signer, new TextEncoder().encode(read.text), signature),
    )
  }
}

/** Returns the signature line of a key, if the note has exactly one and its signature verifies. */
function lineIfValid(
  read: Note,
  name: string,
  keyId: string,
  assert: (signature: Uint8Array) => void,
): string | undefined {
  return readIfValid(() => {
    const signature = signatureOf(read, name, keyId)
    assert(signature)
    return read.signatures.find((one) => one.signature === signature)?.line
  })
}
