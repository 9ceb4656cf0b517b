import type { VerifiedBundle } from 'alvarium-sdk/verify'

/** How often an answer was yes, and how often no. */
export interface Answers {
  yes: number
  no: number
}

/** What is known about a payload. */
export interface Known {
  readonly key: string
  /** By kind. */
  readonly answers: ReadonlyMap<string, Readonly<Answers>>
  /** The keys of what it was made from. */
  readonly madeFrom: ReadonlySet<string>
  readonly bundles: number
}

/** An annotation as bundles and classic messages have it. */
interface Annotation {
  readonly kind: string
  readonly isSatisfied: boolean
}

/** Ids of bundles that are remembered: QoS 1 may deliver one twice, and it counts once. */
const MOST_REMEMBERED = 1_000_000

/** What was said about payloads, added up: the bundles themselves are not kept. */
export class Confidence {
  readonly #known = new Map<
    string,
    { key: string; answers: Map<string, Answers>; madeFrom: Set<string>; bundles: number }
  >()
  readonly #seen = new Set<string>()
  readonly #weights: ReadonlyMap<string, number>

  /** @param weights - by kind; those that are not named weigh 1 */
  constructor(weights: ReadonlyMap<string, number>) {
    this.#weights = weights
  }

  addBundle({ id, key, previousKey, annotations }: VerifiedBundle): void {
    if (this.#isSeen(id)) return
    const known = this.#at(key)
    known.bundles++
    if (previousKey !== undefined) known.madeFrom.add(previousKey)
    for (const annotation of annotations) this.#add(known.answers, annotation)
  }

  /** Of a classic message, in which each is signed on its own. */
  addAnnotation(
    annotation: Annotation & { readonly id: string; readonly key: string; readonly signer: string },
  ): void {
    if (this.#isSeen(`${annotation.signer} ${annotation.id}`)) return
    this.#add(this.#at(annotation.key.toUpperCase()).answers, annotation)
  }

  payloads(): IterableIterator<Known> {
    return this.#known.values()
  }

  /** What is known of a payload; nothing, perhaps. */
  of(key: string): Known {
    return this.#known.get(key) ?? { key, answers: new Map(), madeFrom: new Set(), bundles: 0 }
  }

  /** From 0 to 1: the weight of what was satisfied in the weight of all. Where nothing was said, 0. */
  score({ answers }: Known): number {
    let [satisfied, all] = [0, 0]
    for (const [kind, { yes, no }] of answers) {
      const weight = this.#weights.get(kind) ?? 1
      satisfied += weight * yes
      all += weight * (yes + no)
    }
    return all === 0 ? 0 : satisfied / all
  }

  /**
   * What a payload was made from, and that, each with how many steps away it is, nearest first. Whatever signers say, also that
   * two payloads were made from each other: each comes once.
   */
  *lineage(key: string): Generator<[depth: number, Known], void> {
    const depths = new Map([[key, 0]])
    // It grows as it is gone through.
    for (const [one, depth] of depths) {
      const known = this.of(one)
      yield [depth, known]
      for (const previous of known.madeFrom) if (!depths.has(previous)) depths.set(previous, depth + 1)
    }
  }

  #at(key: string) {
    const known = this.#known.get(key) ?? { key, answers: new Map(), madeFrom: new Set(), bundles: 0 }
    this.#known.set(key, known)
    return known
  }

  #add(answers: Map<string, Answers>, { kind, isSatisfied }: Annotation): void {
    const counts = answers.get(kind) ?? { yes: 0, no: 0 }
    counts[isSatisfied ? 'yes' : 'no']++
    answers.set(kind, counts)
  }

  #isSeen(id: string): boolean {
    if (this.#seen.has(id)) return true
    this.#seen.add(id)
    // The oldest is the first.
    if (this.#seen.size > MOST_REMEMBERED) this.#seen.delete(this.#seen.values().next().value as string)
    return false
  }
}
