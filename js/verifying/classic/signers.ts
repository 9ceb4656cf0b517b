import { type AlvariumError, expected } from '../../foundation/base/errors.js'
import { withNoun } from '../../foundation/base/text/text.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import type { JudgedKeyring, LeaseKeyring } from '../../signing/keys/trust-policy.js'
import type { ReadAnnotation } from './read-annotation.js'
import type { RememberedSigner, SearchMemory } from './search-memory.js'

/**
 * Maximum number of public keys to try in failed searches for the signers of one message. Trying them takes
 * about a third of a second.
 */
const MAX_FAILED_TRIALS = 4096
/** Number of bytes that take as long to hash as all other work of trying one public key. */
const BYTES_PER_TRIAL = 32 * 1024
const NOT_SEARCHED = 'no answer after too many failed searches or for too long a text'
const UNKNOWN = 'an unknown signature: altered, or signed by a key that is not here'
/** Number of public keys to try before other tasks can run. Trying them takes a few milliseconds. */
const TRIALS_PER_TURN = 64

export interface FoundSigner extends RememberedSigner {
  readonly judge: JudgedKeyring['judge'] | undefined
}

/** Result of the search for an annotation's signer: `not searched` if the limits forbid the search. */
type SearchResult = FoundSigner | 'no key fits' | 'not searched'

export class SignerSearch {
  readonly #trusted: readonly LeaseKeyring[]
  readonly #memory: SearchMemory | undefined
  #failedTrials = 0
  #last: string | undefined

  /**
   * @param trusted - keyring of the trusted keys, then the keyring of leased keys
   * @param memory - memory that the searches of several messages share
   */
  constructor(trusted: readonly LeaseKeyring[], memory: SearchMemory | undefined) {
    this.#trusted = trusted
    this.#memory = memory
  }

  async search({ annotation: { host }, signedText, signature }: ReadAnnotation): Promise<SearchResult> {
    const bytes = new TextEncoder().encode(signedText)
    const remembered = this.#remembered(host, bytes, signature)
    if (remembered) {
      this.#last = remembered.signer
      return remembered
    }
    const trials = this.#keys * weightOf(bytes)
    const isAffordable = this.#isAffordable(trials, bytes)
    const found = isAffordable ? await this.#find(bytes, signature) : undefined
    if (found) this.#memory?.remember(host, found)
    if (isAffordable) this.#memory?.spend(trials)
    // Count the search as failed if it found another signer than the search before. Such a search can take as long as
    // one that finds none, and anyone can mix annotations of several signers in a message.
    const isFailed = !found || found.signer !== (this.#last ?? found.signer)
    if (isAffordable && isFailed) this.#failedTrials += trials
    this.#last = found?.signer ?? this.#last
    return found ?? (isAffordable ? 'no key fits' : 'not searched')
  }

  #remembered(host: string, bytes: Uint8Array, signature: Uint8Array): FoundSigner | undefined {
    for (const { signer, keyringIndex: place } of this.#memory?.signersOn(host) ?? []) {
      const { keyring, judge } = this.#trusted[place] ?? {}
      const isSigner = keyring?.verifies(signer, bytes, signature)
      if (isSigner) return { signer, keyringIndex: place, judge }
    }
    return undefined
  }

  /**
   * Returns the error for an annotation that no key verified. Call it after searching the whole message.
   * Reports an altered annotation only if a key verified another annotation of the message. Otherwise, the
   * key may be missing.
   */
  errorFor(searched: Exclude<SearchResult, FoundSigner>): AlvariumError {
    const requirement = `a signature over this annotation by a key in the keyring of ${withNoun(this.#keys, 'public key')}`
    const fault = this.#trusted.at(-1)?.fault
    const why = fault ? `; ${fault}` : ''
    if (searched === 'not searched')
      return expected('SIGNER_UNKNOWN', 'signature', requirement, `${NOT_SEARCHED}${why}`)
    if (this.#last === undefined)
      return expected('SIGNER_UNKNOWN', 'signature', requirement, `${UNKNOWN}${why}`)
    return expected(
      'SIGNATURE_INVALID',
      'signature',
      requirement,
      `a signature that does not verify, although others in the message do${why}`,
    )
  }

  get #keys(): number {
    return this.#trusted.reduce((sum, { keyring }) => sum + keyring.keys.length, 0)
  }

  async #find(bytes: Uint8Array, signature: Uint8Array): Promise<FoundSigner | undefined> {
    const piece = Math.ceil(TRIALS_PER_TURN / weightOf(bytes))
    for (const [place, { keyring, judge }] of this.#trusted.entries()) {
      let { keys } = keyring
      for (let from = 0; from < keys.length; from += piece) {
        const signer = keyring.signerAmong(bytes, signature, from, from + piece)
        if (signer !== undefined) return { signer, keyringIndex: place, judge }
        await verifyTurns.yieldIfDue()
        if (keyring.keys === keys) continue
        // Start again if the keyring has changed meanwhile, because the indexes of its keys have changed.
        keys = keyring.keys
        from = -piece
      }
    }
    return undefined
  }

  /**
   * Returns whether the limits allow a search. `MAX_FAILED_TRIALS` does not apply to short texts until a
   * search of the message has failed.
   */
  #isAffordable(trials: number, bytes: Uint8Array): boolean {
    if (this.#memory?.canAfford(trials) === false) return false
    return (
      this.#failedTrials + trials <= MAX_FAILED_TRIALS || (this.#failedTrials === 0 && weightOf(bytes) === 1)
    )
  }
}

function weightOf({ length }: Uint8Array): number {
  return 1 + Math.floor(length / BYTES_PER_TRIAL)
}
