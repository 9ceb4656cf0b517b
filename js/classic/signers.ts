import { type AlvariumError, expected } from '../base/errors.js'
import { withNoun } from '../base/text/text.js'
import { verifyTurns } from '../base/time/turns.js'
import type { JudgedKeyring, Leased } from '../keys/trust-policy.js'
import type { ReadAnnotation } from './read-annotation.js'
import type { RememberedSigner, SearchMemory } from './search-memory.js'

/** How many trials in vain a message may cost: about a third of a second. */
const MOST_IN_VAIN = 4096
/** A trial also hashes the annotation's text. Hashing this many bytes takes about as long as the rest of a trial. */
const BYTES_PER_TRIAL = 32 * 1024
const NOT_SEARCHED = 'no answer after too many failed searches or for too long a text'
const UNKNOWN = 'another: altered, or signed by a key that is not here'
/** Trials before the event loop gets a turn: a few milliseconds. */
const PIECE = 64

/** A trusted key that has signed an annotation, and the judge of what its signer says. */
export interface FoundSigner extends RememberedSigner {
  readonly judge: JudgedKeyring['judge'] | undefined
}

/** The result of a search: `not searched` once the searches of a message have cost too much. */
type Searched = FoundSigner | 'no key fits' | 'not searched'

/** Finds the signers of one message's annotations, by trying. */
export class SignerSearch {
  readonly #trusted: readonly Leased[]
  readonly #memory: SearchMemory | undefined
  #inVain = 0
  #last: string | undefined

  /**
   * @param trusted - the keys that are trusted, and then the keys that leases are given to
   * @param memory - shared with other messages, if there are any
   */
  constructor(trusted: readonly Leased[], memory: SearchMemory | undefined) {
    this.#trusted = trusted
    this.#memory = memory
  }

  async search({ annotation: { host }, signedText, signature }: ReadAnnotation): Promise<Searched> {
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
    // To find another signer than before can take as long as to find none, and anyone can mix what several have signed.
    if (isAffordable) this.#memory?.spend(trials)
    if (!found || found.signer !== (this.#last ?? found.signer)) this.#inVain += trials
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
   * Returns the error about an annotation that no key verified, once all of its message were searched. It is altered only if a key verified another
   * annotation of the message: otherwise its signer may be someone whose key is not here.
   */
  errorFor(searched: Exclude<Searched, FoundSigner>): AlvariumError {
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
    const piece = Math.ceil(PIECE / weightOf(bytes))
    for (const [place, { keyring, judge }] of this.#trusted.entries()) {
      let { keys } = keyring
      for (let from = 0; from < keys.length; from += piece) {
        const signer = keyring.signerAmong(bytes, signature, from, from + piece)
        if (signer !== undefined) return { signer, place, judge }
        await verifyTurns.take()
        if (keyring.keys === keys) continue
        // Somebody has changed the keyring meanwhile, and with it the places of its keys.
        keys = keyring.keys
        from = -piece
      }
    }
    return undefined
  }

  /** One search through a large keyring must be possible, but not for a long text. */
  #isAffordable(trials: number, bytes: Uint8Array): boolean {
    if (this.#memory?.canAfford(trials) === false) return false
    return this.#inVain + trials <= MOST_IN_VAIN || (this.#inVain === 0 && weightOf(bytes) === 1)
  }
}

/** Returns the trials that one trial takes as long as, by the length of the text that it hashes. */
function weightOf({ length }: Uint8Array): number {
  return 1 + Math.floor(length / BYTES_PER_TRIAL)
}
