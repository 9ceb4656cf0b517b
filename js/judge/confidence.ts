import { annotationIdOf } from '../classic/annotation-id.js'
import type { ClassicMessage } from '../classic/verify-classic.js'
import type { Annotation, Input } from '../model/bundle.js'
import { madeFromOf } from '../model/made-from.js'
import type { VerifiedBundle } from '../verify/options.js'
import { nameOf, type PayloadName, spelled } from './payload-name.js'
import { type Answers, readScorePolicy, type ScorePolicy, type ScoreRules, scoreBy } from './score.js'

/** Answers about a payload, its sources, and the number of its bundles. */
export interface KnownPayload extends PayloadName {
  /** By kind. */
  readonly answers: ReadonlyMap<string, Answers>
  /**
   * The payloads that it was made from, each by its own hash and key, under what {@link nameOf} gives for it. They are named when somebody asks
   * for them first: of a bundle with 65,536 inputs, that takes about 40 ms in which nothing else runs.
   */
  readonly madeFrom: ReadonlyMap<string, PayloadName>
  /** The ids of the sealed sets that it was made from. Nothing is known here of the payloads in them: never count that as good. */
  readonly madeFromSets: ReadonlySet<string>
  /** How many bundles are about it. */
  readonly bundles: number
}

/** A payload in the lineage of another one. */
export interface Ancestor extends KnownPayload {
  /** How many mutates away it is. 0 is the payload itself. */
  readonly depth: number
}

/** What is known, while it is added up. */
interface Sum extends KnownPayload {
  readonly answers: Map<string, { yes: number; no: number }>
  bundles: number
}

/** A payload of which somebody has spoken. */
interface Heard {
  readonly sum: Sum
  readonly origins: Origins
}

/** What a payload was made from. To name very many inputs takes long, and most are never asked for. */
class Origins {
  readonly #payloads = new Map<string, PayloadName>()
  readonly #sets = new Set<string>()
  #unread: readonly Input[] = []

  /** Of one bundle at most they wait: memory does not grow with bundles that say the same. */
  add(inputs: readonly Input[]): void {
    if (inputs.length === 0) return
    this.#read()
    this.#unread = inputs
  }

  get payloads(): ReadonlyMap<string, PayloadName> {
    this.#read()
    return this.#payloads
  }

  get sets(): ReadonlySet<string> {
    this.#read()
    return this.#sets
  }

  #read(): void {
    for (const input of this.#unread) {
      if ('set' in input) this.#sets.add(input.set)
      else this.#payloads.set(nameOf(input), input)
    }
    this.#unread = []
  }
}

/** Ids of bundles that are remembered. */
const MOST_REMEMBERED = 1_000_000

/**
 * Adds up what was said about payloads. It keeps counts and no bundles, so memory grows with the number of payloads.
 *
 * A bundle that was delivered twice counts once: the last 1,000,000 bundle ids are remembered. Keys of one signer count as one signer
 * if a trust policy judged the bundle.
 *
 * @example
 * ```ts
 * import { Confidence } from 'alvarium-sdk/judge'
 *
 * const confidence = new Confidence({ weights: { tls: 2 }, required: ['src'] })
 * confidence.add(await verifyMessage(message, { keyring }))
 * for (const payload of confidence.payloads()) console.log(payload.key, confidence.score(payload))
 * ```
 */
export class Confidence {
  readonly #payloads = new Map<string, Heard>()
  readonly #seen = new Set<string>()
  /** What a signer has said of a payload in a kind, where that counts once. */
  readonly #voices = new Map<string, boolean>()
  readonly #rules: ScoreRules

  /** @throws AlvariumError `CONFIG_INVALID` for an unknown option, a weight that is not from 0 to 1,000,000, or an empty kind */
  constructor(policy: ScorePolicy = {}) {
    this.#rules = readScorePolicy(policy)
  }

  /**
   * Counts a bundle.
   *
   * @param bundle - as it was verified; nothing is verified here
   * @returns whether it is new
   */
  add(bundle: VerifiedBundle): boolean {
    const { id, annotations, signer, signedBy } = bundle
    if (this.#isSeen(id)) return false
    const { sum, origins } = this.#heardOf(bundle)
    sum.bundles++
    origins.add(madeFromOf(bundle))
    for (const annotation of annotations) this.#count(sum, annotation, signedBy?.name ?? signer)
    return true
  }

  /**
   * Counts the annotations of a Go, Java, Rust or Python SDK that were verified. They give no lineage: nobody signed what was
   * made from what.
   */
  addClassic({ annotations }: Pick<ClassicMessage, 'annotations'>): void {
    for (const one of annotations) {
      if (one.status === 'rejected') continue
      const { signer, signedBy } = one.value
      if (this.#isSeen(annotationIdOf(one.value))) continue
      this.#count(this.#heardOf(one.value).sum, one.value, signedBy?.name ?? signer)
    }
  }

  /** All payloads that something was said about, in the order in which they were first heard of. */
  *payloads(): IterableIterator<KnownPayload> {
    for (const { sum } of this.#payloads.values()) yield sum
  }

  /** Returns the answers about a payload. An unknown payload has no answers and 0 bundles. */
  of(payload: PayloadName): KnownPayload {
    return this.#payloads.get(nameOf(payload))?.sum ?? nothingOf(payload).sum
  }

  /**
   * How far the payload can be trusted: the weight of its satisfied annotations over the weight of all.
   *
   * @returns from 0 to 1, rounded down to four decimals; 0 if nothing was said, or if a required kind is missing or not satisfied
   */
  score(payload: PayloadName): number {
    return scoreBy(this.of(payload).answers, this.#rules)
  }

  /**
   * The payload, what it was made from, and so on: nearest first, each once, even if signers say that two payloads were made from each
   * other. Where an ancestor has `madeFromSets`, these are not all.
   *
   * @example
   * ```ts
   * import { Confidence, type PayloadName, percentOf } from 'alvarium-sdk/judge'
   *
   * function print(confidence: Confidence, payload: PayloadName) {
   *   for (const ancestor of confidence.lineage(payload)) {
   *     console.log(ancestor.depth, ancestor.key, `${Math.floor(percentOf(confidence.score(ancestor)))} %`)
   *   }
   * }
   * ```
   */
  *lineage(payload: PayloadName): Generator<Ancestor, void> {
    const found = new Map([[nameOf(payload), { name: payload, depth: 0 }]])
    // The list grows during the loop.
    for (const { name, depth } of found.values()) {
      const known = this.of(name)
      yield { ...known, depth }
      for (const [text, previous] of known.madeFrom) {
        if (!found.has(text)) found.set(text, { name: previous, depth: depth + 1 })
      }
    }
  }

  #heardOf(payload: PayloadName): Heard {
    const name = nameOf(payload)
    const heard = this.#payloads.get(name) ?? nothingOf(payload)
    this.#payloads.set(name, heard)
    return heard
  }

  #count(sum: Sum, { kind, isSatisfied }: Pick<Annotation, 'kind' | 'isSatisfied'>, signer: string): void {
    const counts = sum.answers.get(kind) ?? { yes: 0, no: 0 }
    sum.answers.set(kind, counts)
    if (!this.#rules.isOncePerSigner) {
      counts[isSatisfied ? 'yes' : 'no']++
      return
    }
    // Keys by the hash none, and kinds, have spaces in them.
    const voice = JSON.stringify([signer, sum.hash, sum.key, kind])
    const before = this.#voices.get(voice)
    this.#voices.set(voice, isSatisfied && before !== false)
    if (before === undefined) counts[isSatisfied ? 'yes' : 'no']++
    else if (before && !isSatisfied) {
      counts.yes--
      counts.no++
    }
  }

  #isSeen(id: string): boolean {
    if (this.#seen.has(id)) return true
    this.#seen.add(id)
    // The oldest is the first.
    if (this.#seen.size > MOST_REMEMBERED) this.#seen.delete(this.#seen.values().next().value as string)
    return false
  }
}

function nothingOf(payload: PayloadName): Heard {
  const origins = new Origins()
  const sum: Sum = {
    ...spelled(payload),
    answers: new Map(),
    get madeFrom() {
      return origins.payloads
    },
    get madeFromSets() {
      return origins.sets
    },
    bundles: 0,
  }
  return { sum, origins }
}
