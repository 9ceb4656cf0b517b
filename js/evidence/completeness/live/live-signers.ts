import type { CompletenessStats } from '../../../verifying/consume/findings.js'
import { KeyOwner, type SignerName } from '../key-owner.js'
import type { LiveSigner } from './live-signer.js'

/** Memory limits of a subscription, each for all signers in total. */
export interface Bounds {
  /** Maximum number of signers to remember. Each needs about 2 KB of memory. */
  readonly signers: number
  /** Maximum number of messages to remember. Each needs about 150 bytes of memory. */
  readonly messages: number
  /** Maximum size in bytes of all checkpoints that wait to be evaluated. */
  readonly waitingBytes: number
}

export const BOUNDS: Bounds = { signers: 65_536, messages: 1_000_000, waitingBytes: 256 * 1024 * 1024 }

/** Signers of a subscription. Beyond the memory limits, the least recently active signer is forgotten. */
export class LiveSigners {
  readonly #bounds: Bounds
  /** Signers by key id, the least recently active first. */
  readonly #signers = new Map<string, LiveSigner>()
  #latest: string | undefined
  #messages = 0
  readonly #forgotten = { missing: 0, forked: 0, backdated: 0, refused: 0, unknown: 0 }
  forgottenAt: number | undefined

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get current(): LiveSigner[] {
    return [...this.#signers.values()]
  }

  touch(signer: string, begin: () => LiveSigner): LiveSigner {
    const known = this.#signers.get(signer) ?? begin()
    if (signer === this.#latest) return known
    this.#latest = signer
    this.#signers.delete(signer)
    this.#signers.set(signer, known)
    return known
  }

  /** Updates the number of remembered messages, and forgets the least recently active signers beyond `Bounds`. */
  recount(known: LiveSigner): void {
    // The signer may have been forgotten while it was evaluated.
    if (known.isForgotten) return
    this.#messages += known.size - known.counted
    known.counted = known.size
    const { signers, messages } = this.#bounds
    while (this.#signers.size > 1 && (this.#signers.size > signers || this.#messages > messages))
      this.#forget()
  }

  #forget(): void {
    const [[signer, oldest]] = this.#signers as unknown as [[string, LiveSigner]]
    const { counts, unknown } = oldest
    this.#signers.delete(signer)
    this.#messages -= oldest.counted
    oldest.forget()
    this.forgottenAt = Date.now()
    this.#forgotten.missing += counts.of('missing')
    this.#forgotten.forked += counts.forked
    this.#forgotten.backdated += counts.backdated
    this.#forgotten.refused += counts.of('refused')
    // Pending messages count as unknown, because no checkpoint decides them any more.
    this.#forgotten.unknown += unknown + counts.of('pending')
  }

  stats(): CompletenessStats {
    const signers = this.current
    const sum = (of: (signer: LiveSigner) => number) => signers.reduce((total, one) => total + of(one), 0)
    const forgotten = this.#forgotten
    return Object.freeze({
      missing: forgotten.missing + sum(({ counts }) => counts.of('missing')),
      forked: forgotten.forked + sum(({ counts }) => counts.forked),
      backdated: forgotten.backdated + sum(({ counts }) => counts.backdated),
      silent: sum(({ isSilent }) => Number(isSilent)),
      refused: forgotten.refused + sum(({ counts }) => counts.of('refused')),
      pending: sum(({ counts }) => counts.of('pending')),
      unknown: forgotten.unknown + sum(({ unknown }) => unknown),
    })
  }
}

/** Key, and the `LiveSigner` that evaluates the key's messages and checkpoints. */
interface LiveKey {
  /**
   * Key id of the signer for which the key was first accepted. The `LiveSigner` of this signer evaluates all
   * messages of the key, even if another signer's lease permits later ones.
   */
  readonly storedWith: string
  readonly owner: KeyOwner
}

/** LRU cache of keys. A forgotten key is attributed to the issuer of the next lease that permits it. */
export class LiveKeys {
  readonly #max: number
  /** Keys by key id, the least recently used first. */
  readonly #keys = new Map<string, LiveKey>()

  constructor(max: number) {
    this.#max = max
  }

  /**
   * Returns the key of a received message or checkpoint, new or known, and marks it as most recently used.
   *
   * @param signerName - the signer of the message or checkpoint; for a leased key, the issuer of the lease
   */
  touch(keyId: string, signerName: SignerName): LiveKey {
    const known = this.#keys.get(keyId) ?? { storedWith: signerName.signer, owner: new KeyOwner(keyId) }
    this.#keys.delete(keyId)
    this.#keys.set(keyId, known)
    if (this.#keys.size > this.#max) this.#keys.delete(this.#keys.keys().next().value as string)
    return known
  }

  ownerOf(keyId: string): SignerName | undefined {
    return this.#keys.get(keyId)?.owner.signer
  }
}
