import { AlvariumError } from '../base/errors.js'
import { verifyTurns } from '../base/time/turns.js'
import type { Keyring } from '../keys/keyring.js'
import type { ReadAnnotation } from './read-annotation.js'

/** How many trials a message may cost that lead to nothing: about a third of a second. */
const MOST_IN_VAIN = 4096
/** A trial hashes the annotation's text. To hash so much takes about as long as all the rest of it. */
const BYTES_PER_TRIAL = 32 * 1024
/** Trials between which others may get their turn of the event loop: a few milliseconds. */
const PIECE = 64

/** Finds the signers of one message's annotations, by trying. */
export class SignerSearch {
  readonly #trusted: Keyring
  #inVain = 0
  #last: string | undefined

  constructor(trusted: Keyring) {
    this.#trusted = trusted
  }

  /** @throws AlvariumError `SIGNATURE_INVALID` when nobody in the keyring signed it, or it would take too long to know */
  async signerOf({ signedText, signature }: ReadAnnotation): Promise<string> {
    const bytes = new TextEncoder().encode(signedText)
    const keys = this.#trusted.keys.length
    const weight = 1 + Math.floor(bytes.length / BYTES_PER_TRIAL)
    const isAffordable = this.#isAffordable(keys, weight)
    const signer = isAffordable ? await this.#search(bytes, signature, weight) : undefined
    // To find another than before can take as long as to find none, and anybody can mix what several have signed.
    if (signer === undefined || signer !== (this.#last ?? signer)) this.#inVain += keys * weight
    this.#last = signer ?? this.#last
    if (signer !== undefined) return signer
    const got = isAffordable ? 'another' : 'another, after too many failed searches or for too long a text'
    const expected = `one over this annotation by one of the keyring's ${keys} public keys`
    throw new AlvariumError('SIGNATURE_INVALID', `signature: expected ${expected}, got ${got}`)
  }

  /** One search through a larger keyring has to be possible, but not with a long text. */
  #isAffordable(keys: number, weight: number): boolean {
    return this.#inVain + keys * weight <= MOST_IN_VAIN || (this.#inVain === 0 && weight === 1)
  }

  async #search(bytes: Uint8Array, signature: Uint8Array, weight: number): Promise<string | undefined> {
    const piece = Math.ceil(PIECE / weight)
    let { keys } = this.#trusted
    for (let from = 0; from < keys.length; from += piece) {
      const signer = this.#trusted.use((verifier) =>
        verifier.signerAmong(bytes, signature, from, from + piece),
      )
      if (signer !== undefined) return signer
      await verifyTurns.take()
      if (this.#trusted.keys === keys) continue
      // Somebody has changed the keyring meanwhile, and with it the places of its keys.
      keys = this.#trusted.keys
      from = -piece
    }
    return undefined
  }
}
