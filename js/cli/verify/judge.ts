import type { Found } from '../messages/found.js'
import { type Alteration, alterationIn } from './altered.js'
import type { Judged } from './report.js'
import { type Trust, type Verdict, verdictsOn } from './verdict.js'

/** A search costs some twenty verifications: who sends many altered messages gets no more of our time than for these. */
const MOST_SEARCHED = 100

/** Verifies messages, and finds out of the first that were altered what was. */
export class Judge {
  readonly #trust: Trust
  #searched = 0

  constructor(trust: Trust) {
    this.#trust = trust
  }

  async judge(found: readonly Found[]): Promise<Judged[]> {
    const judged: Judged[] = []
    for (const verdict of await verdictsOn(found, this.#trust)) {
      judged.push({ verdict, alteration: await this.#alterationOf(verdict) })
    }
    return judged
  }

  async #alterationOf(verdict: Verdict): Promise<Alteration | undefined> {
    if (verdict.format !== 'none' || verdict.error.code !== 'SIGNATURE_INVALID') return undefined
    if (!verdict.message || this.#searched >= MOST_SEARCHED) return undefined
    this.#searched++
    return alterationIn(verdict.message, this.#trust)
  }
}
