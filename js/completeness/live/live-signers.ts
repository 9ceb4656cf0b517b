import type { CompletenessStats } from '../../consume/findings.js'
import type { Bounds } from './bounds.js'
import type { LiveSigner } from './live-signer.js'

/** The signers of a subscription. Where there is no room, the one that was silent for longest gives way. */
export class LiveSigners {
  readonly #bounds: Bounds
  /** From the one that was silent for longest. */
  readonly #signers = new Map<string, LiveSigner>()
  #latest: string | undefined
  #messages = 0
  /** What was known of those that gave way. */
  readonly #gone = { missing: 0, forked: 0, backdated: 0, refused: 0, unknown: 0 }
  /** When the last of them did, in milliseconds since 1970. */
  forgottenAt: number | undefined

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** The signers as of now. */
  get now(): LiveSigner[] {
    return [...this.#signers.values()]
  }

  /** Something of this one came. */
  heard(signer: string, begin: () => LiveSigner): LiveSigner {
    const known = this.#signers.get(signer) ?? begin()
    if (signer === this.#latest) return known
    this.#latest = signer
    this.#signers.delete(signer)
    this.#signers.set(signer, known)
    return known
  }

  /** More or less is remembered of this one than before. */
  changed(known: LiveSigner): void {
    // It may have given way while it was looked at.
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
    this.#gone.missing += counts.of('missing')
    this.#gone.forked += counts.forked
    this.#gone.backdated += counts.backdated
    this.#gone.refused += counts.of('refused')
    // Nobody hears any more what became of them.
    this.#gone.unknown += unknown + counts.of('pending')
  }

  stats(): CompletenessStats {
    const signers = this.now
    const sum = (of: (signer: LiveSigner) => number) => signers.reduce((total, one) => total + of(one), 0)
    const gone = this.#gone
    return Object.freeze({
      missing: gone.missing + sum(({ counts }) => counts.of('missing')),
      forked: gone.forked + sum(({ counts }) => counts.forked),
      backdated: gone.backdated + sum(({ counts }) => counts.backdated),
      silent: sum(({ isSilent }) => Number(isSilent)),
      refused: gone.refused + sum(({ counts }) => counts.of('refused')),
      pending: sum(({ counts }) => counts.of('pending')),
      unknown: gone.unknown + sum(({ unknown }) => unknown),
    })
  }
}
