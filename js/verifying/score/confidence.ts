import type { Annotation, Input } from '../../foundation/model/bundle.js'
import { inputsOf } from '../../foundation/model/bundle.js'
import { annotationIdOf } from '../classic/annotation-id.js'
import type { ClassicMessage } from '../classic/verify-classic.js'
import type { VerifiedBundle } from '../verify/options.js'
import { nameOf, normalize, type PayloadName } from './payload-name.js'
import {
  type Answers,
  readScorePolicy,
  type ScorePolicy,
  type ScoreRules,
  scoreAnswers,
} from './score-policy.js'

/** Answers about a payload, the payloads and sets from which it was made, and the number of its bundles. */
export interface KnownPayload extends PayloadName {
  /** Numbers of satisfied and unsatisfied annotations, by kind. */
  readonly answers: ReadonlyMap<string, Answers>
  /**
   * Payloads from which this payload was made, by {@link nameOf}. The names are computed on the first read;
   * for a bundle with 65,536 inputs, that blocks the event loop for about 40 ms.
   */
  readonly madeFrom: ReadonlyMap<string, PayloadName>
  /** Ids of the sealed sets from which this payload was made. Never count their unknown payloads as good. */
  readonly madeFromSets: ReadonlySet<string>
  /** Number of bundles about the payload. */
  readonly bundles: number
}

/** Ancestor of a payload, or the payload itself. */
export interface Ancestor extends KnownPayload {
  /** Number of mutates between the ancestor and the payload; 0 for the payload itself. */
  readonly depth: number
}

/** Answers and sources of a payload that change while bundles are added. */
interface AnswerSum extends KnownPayload {
  readonly answers: Map<string, { yes: number; no: number }>
  bundles: number
}

/** Sums and sources of a payload with at least one statement. */
interface PayloadSum {
  readonly sum: AnswerSum
  readonly origins: Origins
}

/**
 * Payloads and sets from which a payload was made. Names are computed on the first read, because that takes
 * long for many inputs and most are never read.
 */
class Origins {
  readonly #payloads = new Map<string, PayloadName>()
  readonly #sets = new Set<string>()
  #unread: readonly Input[] = []

  /** Adds inputs. Defers the inputs of at most one bundle, so that repeated bundles do not grow memory. */
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

/** Maximum number of bundle ids to remember. */
const MAX_BUNDLE_IDS = 1_000_000

/**
 * Counts answers about payloads and scores them. Memory grows with the number of payloads, not of bundles.
 *
 * A bundle that is delivered twice counts once, as long as its id is among the last 1,000,000. All keys of a
 * signer count as one signer if a trust policy permitted the bundle.
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
  readonly #payloads = new Map<string, PayloadSum>()
  readonly #seen = new Set<string>()
  /** Answer of each signer by payload and kind. Used only if each signer counts once. */
  readonly #signerAnswers = new Map<string, boolean>()
  readonly #rules: ScoreRules

  /** @throws AlvariumError `CONFIG_INVALID` for an unknown option, or a kind or weight that is invalid */
  constructor(policy: ScorePolicy = {}) {
    this.#rules = readScorePolicy(policy)
  }

  /**
   * Counts a verified bundle. Verifies nothing.
   *
   * @returns whether the bundle is new
   */
  add(bundle: VerifiedBundle): boolean {
    const { id, annotations, signer, signedBy } = bundle
    if (this.#isSeen(id)) return false
    const { sum, origins } = this.#sumFor(bundle)
    sum.bundles++
    origins.add(inputsOf(bundle))
    for (const annotation of annotations) this.#count(sum, annotation, signedBy?.name ?? signer)
    return true
  }

  /** Counts verified annotations of a classic message without lineage, because that is unsigned. */
  addClassic({ annotations }: Pick<ClassicMessage, 'annotations'>): void {
    for (const one of annotations) {
      if (one.status === 'rejected') continue
      const { signer, signedBy } = one.value
      if (this.#isSeen(annotationIdOf(one.value))) continue
      this.#count(this.#sumFor(one.value).sum, one.value, signedBy?.name ?? signer)
    }
  }

  /** Yields all payloads with statements, in the order of their first statements. */
  *payloads(): IterableIterator<KnownPayload> {
    for (const { sum } of this.#payloads.values()) yield sum
  }

  /** Returns the answers about a payload. For an unknown payload, there are no answers and 0 bundles. */
  of(payload: PayloadName): KnownPayload {
    return this.#payloads.get(nameOf(payload))?.sum ?? emptySum(payload).sum
  }

  /**
   * Returns the score of a payload: the weight of its satisfied annotations divided by the weight of all.
   *
   * @returns from 0 to 1, rounded down to four decimals; 0 without annotations or a required kind
   */
  score(payload: PayloadName): number {
    return scoreAnswers(this.of(payload).answers, this.#rules)
  }

  /**
   * Yields the payload and its ancestors: nearest first, each once, even in cycles. If `madeFromSets` of any
   * of them is not empty, some ancestors are missing.
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
    // Append to the map during the loop.
    for (const { name, depth } of found.values()) {
      const known = this.of(name)
      yield { ...known, depth }
      for (const [text, previous] of known.madeFrom) {
        if (!found.has(text)) found.set(text, { name: previous, depth: depth + 1 })
      }
    }
  }

  #sumFor(payload: PayloadName): PayloadSum {
    const name = nameOf(payload)
    const heard = this.#payloads.get(name) ?? emptySum(payload)
    this.#payloads.set(name, heard)
    return heard
  }

  #count(
    sum: AnswerSum,
    { kind, isSatisfied }: Pick<Annotation, 'kind' | 'isSatisfied'>,
    signer: string,
  ): void {
    const counts = sum.answers.get(kind) ?? { yes: 0, no: 0 }
    sum.answers.set(kind, counts)
    if (!this.#rules.isOncePerSigner) {
      counts[isSatisfied ? 'yes' : 'no']++
      return
    }
    // Use JSON for the map key, because kinds, and payload keys with hash `none`, can contain spaces.
    const voice = JSON.stringify([signer, sum.hash, sum.key, kind])
    const before = this.#signerAnswers.get(voice)
    this.#signerAnswers.set(voice, isSatisfied && before !== false)
    if (before === undefined) counts[isSatisfied ? 'yes' : 'no']++
    else if (before && !isSatisfied) {
      counts.yes--
      counts.no++
    }
  }

  #isSeen(id: string): boolean {
    if (this.#seen.has(id)) return true
    this.#seen.add(id)
    // Delete the first id, which is the oldest.
    if (this.#seen.size > MAX_BUNDLE_IDS) this.#seen.delete(this.#seen.values().next().value as string)
    return false
  }
}

function emptySum(payload: PayloadName): PayloadSum {
  const origins = new Origins()
  const sum: AnswerSum = {
    ...normalize(payload),
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
