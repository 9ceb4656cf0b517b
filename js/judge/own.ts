import { LAYERS } from '../model/bundle.js'
import { type Environment, environmentKey, type LowerLayer, type Statement } from './dossier.js'
import type { JudgingPolicy } from './policy.js'
import { productOf, type Share, scoreOf, shareOf, WHOLE } from './share.js'
import { type Voice, voicesOf } from './voices.js'

/** The build or machine that a payload's annotations stand on. */
export interface Standing {
  readonly layer: LowerLayer
  readonly tag: string
  /** From 0 to 10,000. Not there if nobody has spoken of it. */
  readonly score?: number
}

/** What a payload scores by what was said of itself. */
export interface Own {
  readonly score: number
  readonly voices: readonly Voice[]
  readonly standsOn: readonly Standing[]
}

/** Scores payloads, and what they stand on once each. */
export class OwnScores {
  readonly #policy: JudgingPolicy
  readonly #environments: ReadonlyMap<string, Environment>
  readonly #scores = new Map<string, number | undefined>()
  readonly #ofOne = new WeakMap<Statement, Own>()

  constructor(policy: JudgingPolicy, environments: readonly Environment[]) {
    this.#policy = policy
    this.#environments = new Map(environments.map((one) => [environmentKey(one), one]))
  }

  /** Of most payloads there is one statement, and that of many others. */
  of(statements: readonly Statement[]): Own {
    const [only] = statements
    if (!only || statements.length > 1) return this.#of(statements)
    const known = this.#ofOne.get(only) ?? this.#of(statements)
    this.#ofOne.set(only, known)
    return known
  }

  #of(statements: readonly Statement[]): Own {
    const said = voicesOf(statements, this.#policy)
    if (this.#policy.layers === 'own') {
      return { score: scoreOf(shareOf(said, this.#policy.weighing)), voices: said, standsOn: [] }
    }
    // The topmost layer of those that are heard at all.
    const layer = LAYERS.find((one) => said.some((voice) => voice.layer === one && voice.trust > 0))
    return this.#stacked(
      said.filter((voice) => voice.layer === layer),
      layer,
    )
  }

  /** As scoring-apps-go means it: what was said, times what it was said by, times where. */
  #stacked(voices: readonly Voice[], layer: string | undefined): Own {
    const below = layer === 'app' ? BELOW_APP : layer === 'os' ? BELOW_OS : []
    const heard = voices.filter(({ trust }) => trust > 0)
    const shares = below.map(({ layer, name }) => this.#average(heard, layer, name))
    const score = scoreOf(productOf([shareOf(voices, this.#policy.weighing), ...shares]))
    const standsOn = below.flatMap(({ layer, name }) => {
      return [...new Set(heard.map(name))].sort().map((tag) => this.#standing(layer, tag))
    })
    return { score, voices, standsOn }
  }

  /** The average over annotations of what they stand on. */
  #average(voices: readonly Voice[], layer: LowerLayer, name: (voice: Voice) => string): Share {
    let [earned, all] = [0n, 0n]
    for (const voice of voices) {
      const { score } = this.#standing(layer, name(voice))
      if (score === undefined && this.#policy.unknown === 'ignore') continue
      earned += BigInt(voice.count) * BigInt(score ?? 0)
      all += BigInt(voice.count) * BigInt(WHOLE)
    }
    return all === 0n ? NOTHING_BELOW : { earned, all }
  }

  #standing(layer: LowerLayer, tag: string): Standing {
    const key = environmentKey({ layer, tag })
    const found = this.#environments.get(key)
    if (found && !this.#scores.has(key)) {
      const { score, voices } = this.of(found.statements.filter((one) => one.layer === layer))
      // Of whom nobody has spoken that is heard, nothing is known.
      this.#scores.set(key, voices.some(({ trust }) => trust > 0) ? score : undefined)
    }
    const score = this.#scores.get(key)
    return { layer, tag, ...(score !== undefined && { score }) }
  }
}

const BELOW_APP = [
  { layer: 'cicd', name: ({ tag }: Voice) => tag },
  { layer: 'os', name: ({ host }: Voice) => host },
] as const
const BELOW_OS = [{ layer: 'host', name: ({ tag }: Voice) => tag }] as const
const NOTHING_BELOW: Share = { earned: 1n, all: 1n }
