import { type AlvariumError, expected } from '../../foundation/base/errors.js'
import { withNoun } from '../../foundation/base/text/text.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import type { JudgedKeyring, LeaseKeyring } from '../../signing/keys/trust-policy.js'
import type { ReadAnnotation } from './read-annotation.js'
import type { RememberedSigner, SearchMemory } from './search-memory.js'

/** Limit of failed trials that a message may cost, which take about a third of a second. */
const MAX_FAILED_TRIALS = 4096
/** Number of bytes whose hashing takes as long as the rest of a trial. A trial also hashes the annotation's text. */
const BYTES_PER_TRIAL = 32 * 1024
const NOT_SEARCHED = 'no answer after too many failed searches or for too long a text'
const UNKNOWN = 'another: altered, or signed by a key that is not here'
/** Number of trials before other tasks may run, which take a few milliseconds. */
const TRIALS_PER_TURN = 64

/** Trusted key that has signed an annotation, and the policy check for its signer's statements. */
export interface FoundSigner extends RememberedSigner {
  readonly judge: JudgedKeyring['judge'] | undefined
}

/** Result of a search: `not searched` once the searches of a message have cost too much. */
type SearchResult = FoundSigner | 'no key fits' | 'not searched'

/** Search for the signers of one message's annotations, by trying keys. */
export class SignerSearch {
  readonly #trusted: readonly LeaseKeyring[]
  readonly #memory: SearchMemory | undefined
  #failedTrials = 0
  #last: string | undefined

  /**
   * @param trusted - the trusted keys, then the keys with leases
   * @param memory - memory shared with other messages
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
    // Count a signer that differs from the last one as a failure: finding it can take as long as finding
    // none, and anyone can mix annotations of several signers.
    if (isAffordable) this.#memory?.spend(trials)
    if (!found || found.signer !== (this.#last ?? found.signer)) this.#failedTrials += trials
    this.#last = found?.signer ?? this.#last
    return found ?? (isAffordable ? 'no key fits' : 'not searched')
  }

  /** Returns the signer of an annotation if it has signed for the same host before. */
  #remembered(host: string, bytes: Uint8Array, signature: Uint8Array): FoundSigner | undefined {
    for (const { signer, place } of this.#memory?.signersOn(host) ?? []) {
      const { keyring, judge } = this.#trusted[place] ?? {}
      const isSigner = keyring?.verifies(signer, bytes, signature)
      if (isSigner) return { signer, place, judge }
    }
    return undefined
  }

  /**
   * Returns the error for an annotation that no key verified; call it after searching all annotations of the
   * message. The annotation counts as altered only if a key verified another one of the message: otherwise
   * its signer's key may be unknown.
   */
  errorFor(searched: Exclude<SearchResult, FoundSigner>): AlvariumError {
    const what = `one over this annotation by a key in the keyring of ${withNoun(this.#keys, 'public key')}`
    const fault = this.#trusted.at(-1)?.fault
    const why = fault ? `; ${fault}` : ''
    if (searched === 'not searched')
      return expected('SIGNER_UNKNOWN', 'signature', what, `${NOT_SEARCHED}${why}`)
    if (this.#last === undefined) return expected('SIGNER_UNKNOWN', 'signature', what, `${UNKNOWN}${why}`)
    return expected('SIGNATURE_INVALID', 'signature', what, `another, where others of the message fit${why}`)
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
        if (signer !== undefined) return { signer, place, judge }
        await verifyTurns.take()
        if (keyring.keys === keys) continue
        // Start again if the keyring has changed meanwhile, because the places of its keys have.
        keys = keyring.keys
        from = -piece
      }
    }
    return undefined
  }

  /**
   * Returns whether a search is within the limits. The first one is, even with a large keyring, unless its
   * text is long.
   */
  #isAffordable(trials: number, bytes: Uint8Array): boolean {
    if (this.#memory?.canAfford(trials) === false) return false
    return (
      this.#failedTrials + trials <= MAX_FAILED_TRIALS || (this.#failedTrials === 0 && weightOf(bytes) === 1)
    )
  }
}

/** Returns the cost of one trial, in trials of short texts, because a trial hashes the text. */
function weightOf({ length }: Uint8Array): number {
  return 1 + Math.floor(length / BYTES_PER_TRIAL)
}
