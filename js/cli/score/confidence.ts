import type { ClassicMessage, VerifiedBundle } from 'alvarium-sdk/verify'
import type { HashName } from '../../model/bundle.js'
import type { Rules } from './rules.js'

/** How often an answer was yes, and how often no. */
export interface Answers {
  yes: number
  no: number
}

/** Which payload it is. */
export interface Payload {
  readonly key: string
  readonly hash: HashName
}

/** What is known about a payload. */
export interface Known extends Payload {
  /** By kind. */
  readonly answers: ReadonlyMap<string, Readonly<Answers>>
  /** The keys of what it was made from, by the same hash. */
  readonly madeFrom: ReadonlySet<string>
  readonly bundles: number
}

/** The same, while it is added up. */
interface Sum extends Payload {
  readonly answers: Map<string, Answers>
  readonly madeFrom: Set<string>
  bundles: number
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
  readonly #known = new Map<string, Sum>()
  readonly #seen = new Set<string>()
  /** What a signer has said of a payload in a kind, where that counts once. */
  readonly #voices = new Map<string, boolean>()
  readonly #rules: Rules
  #unlinked = 0

  constructor(rules: Rules) {
    this.#rules = rules
  }

  /** Classic messages of payloads that were made from others: which one from which, nobody signed. */
  get unlinked(): number {
    return this.#unlinked
  }

  addBundle({ id, key, hash, previousKey, annotations, signer, signedBy }: VerifiedBundle): void {
    if (this.#isSeen(id)) return
    const known = this.#at({ key, hash })
    known.bundles++
    if (previousKey !== undefined) known.madeFrom.add(previousKey)
    // A signer is one, whichever of its keys has signed.
    for (const annotation of annotations) this.#add(known, annotation, signedBy?.name ?? signer)
  }

  /** A classic message, in which each annotation is signed on its own. */
  addClassic({ action, annotations }: ClassicMessage): void {
    if (action === 'mutate') this.#unlinked++
    for (const one of annotations) {
      if (one.status === 'rejected') continue
      const { id, key, hash, signer, signedBy } = one.value
      if (this.#isSeen(`${signer} ${id}`)) continue
      // A digest has two spellings; with the hash none, the key is a text of its own.
      this.#add(
        this.#at({ hash, key: hash === 'none' ? key : key.toUpperCase() }),
        one.value,
        signedBy?.name ?? signer,
      )
    }
  }

  payloads(): IterableIterator<Known> {
    return this.#known.values()
  }

  /** What is known of a payload; nothing, perhaps. */
  of(payload: Payload): Known {
    return this.#known.get(nameOf(payload)) ?? nothingOf(payload)
  }

  /**
   * From 0 to 1: the weight of what was satisfied in the weight of all. It is 0 where nothing was said, and where a kind that is
   * required was not satisfied, or has no answer.
   */
  score({ answers }: Known): number {
    const { weights, required } = this.#rules
    if (required.some((kind) => (answers.get(kind)?.yes ?? 0) === 0 || answers.get(kind)?.no !== 0)) return 0
    let [satisfied, all] = [0, 0]
    for (const [kind, { yes, no }] of answers) {
      const weight = weights.get(kind) ?? 1
      satisfied += weight * yes
      all += weight * (yes + no)
    }
    return all === 0 ? 0 : satisfied / all
  }

  /** Kinds that a rule names, and no annotation has: slips, maybe. */
  get unheard(): string[] {
    const heard = new Set([...this.payloads()].flatMap(({ answers }) => [...answers.keys()]))
    return [...new Set([...this.#rules.weights.keys(), ...this.#rules.required])].filter(
      (kind) => !heard.has(kind),
    )
  }

  /**
   * What a payload was made from, and that, each with how many steps away it is, nearest first. Whatever signers say, also that
   * two payloads were made from each other: each comes once.
   */
  *lineage({ key, hash }: Payload): Generator<[depth: number, Known], void> {
    const depths = new Map([[key, 0]])
    // It grows as it is gone through.
    for (const [one, depth] of depths) {
      const known = this.of({ key: one, hash })
      yield [depth, known]
      for (const previous of known.madeFrom) if (!depths.has(previous)) depths.set(previous, depth + 1)
    }
  }

  #at(payload: Payload): Sum {
    const name = nameOf(payload)
    const known = this.#known.get(name) ?? nothingOf(payload)
    this.#known.set(name, known)
    return known
  }

  #add(known: Sum, { kind, isSatisfied }: Annotation, signer: string): void {
    const counts = known.answers.get(kind) ?? { yes: 0, no: 0 }
    known.answers.set(kind, counts)
    // Keys by the hash none, and kinds, have spaces in them.
    const voice = JSON.stringify([signer, known.hash, known.key, kind])
    const before = this.#rules.isOncePerSigner ? this.#voices.get(voice) : undefined
    if (before === undefined) counts[isSatisfied ? 'yes' : 'no']++
    else if (before && !isSatisfied) {
      // Of what a signer says, a no stands.
      counts.yes--
      counts.no++
    }
    if (this.#rules.isOncePerSigner) this.#voices.set(voice, isSatisfied && before !== false)
  }

  #isSeen(id: string): boolean {
    if (this.#seen.has(id)) return true
    this.#seen.add(id)
    // The oldest is the first.
    if (this.#seen.size > MOST_REMEMBERED) this.#seen.delete(this.#seen.values().next().value as string)
    return false
  }
}

/** A text that was not hashed may look like the digest of another payload. */
function nameOf({ key, hash }: Payload): string {
  return `${hash} ${key}`
}

function nothingOf({ key, hash }: Payload): Sum {
  return { key, hash, answers: new Map(), madeFrom: new Set(), bundles: 0 }
}
