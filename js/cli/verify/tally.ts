import { type Judged, type Outcome, worstOf } from '../../foundation/model/outcome.js'
import { VERDICT_WORDS } from '../../foundation/model/verdict-words.js'
import { NEEDS } from '../terminal/outcome.js'
import { count, countOf } from '../terminal/words.js'
import type { Verdict } from './verdict.js'

const WORDS = ['verified', 'refused', 'unknown signer', 'signed', 'unread'] as const

export class Tally {
  readonly #counts = { verified: 0, refused: 0, 'unknown signer': 0, signed: 0, unread: 0 }

  readonly #unit: readonly [one: string, many: string]

  constructor(unit: readonly [one: string, many: string] = ['message', 'messages']) {
    this.#unit = unit
  }

  add(word: Verdict['is']): void {
    this.#counts[word]++
  }

  get verified(): number {
    return this.#counts.verified
  }

  get total(): number {
    return WORDS.reduce((sum, word) => sum + this.#counts[word], 0)
  }

  get outcome(): Outcome {
    return worstOf(WORDS.filter((word) => this.#counts[word] > 0).map((word) => VERDICT_WORDS[word]))
  }

  /** Summary such as `3 messages: 2 verified, 1 refused`. */
  get says(): string {
    const { unread } = this.#counts
    const words = WORDS.filter((word) => word === 'verified' || this.#counts[word] > 0)
    const texts = words.map((word) => this.#textOf(word))
    return `${countOf(this.total - unread, ...this.#unit)}: ${texts.join(', ')}`
  }

  #textOf(word: Verdict['is']): string {
    const number = this.#counts[word]
    if (word === 'unread') return `${countOf(number, 'source')} unread`
    return `${count(number)} ${word}${word === 'signed' ? ' after --received-at' : ''}`
  }

  /** Next step for the outcome `'cannot tell'`; undefined for other outcomes. */
  get needs(): Judged['needs'] {
    if (this.outcome !== 'cannot tell') return undefined
    if (this.total === 0) return NEEDS.message
    if (this.#counts['unknown signer'] > 0) return NEEDS.signer
    return this.#counts.signed > 0 ? NEEDS.received : NEEDS.source
  }

  get judged(): Judged {
    const { outcome, says, needs } = this
    return { outcome, says, needs }
  }
}
