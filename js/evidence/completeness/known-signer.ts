import type { VerifiedBundle } from '../../verifying/verify/options.js'
import { appendAll, type KeyFindings, KnownKey } from './known-key.js'
import type { RunReport, SignerReport } from './report.js'
import type { Checkpoint } from './text.js'
import { verdictOn } from './verdict.js'

/** Signer to which findings are attributed. */
export interface SignerName {
  readonly signer: string
  readonly name?: string | undefined
}

/** Returns the signer of a verified message. With a lease, that is its issuer, whichever key the lease permits. */
export function signerNameOf({ signer, signedBy }: Pick<VerifiedBundle, 'signer' | 'signedBy'>): SignerName {
  return { signer: signedBy?.id ?? signer, name: signedBy?.name }
}

/**
 * A signer with its own key and the keys that its leases permit. Each key has its own runs, and the lists of one key
 * do not cover messages of another.
 */
export class KnownSigner {
  readonly #signer: string
  readonly #toleranceMs: number
  readonly #keys = new Map<string, KnownKey>()
  name: string | undefined
  /** Time before which messages may have been removed: see {@link KeySettings}. */
  goneUntilMs = Number.NEGATIVE_INFINITY

  /** @param toleranceMs - milliseconds by which the time of a message may differ from its place in the log */
  constructor(signer: string, toleranceMs: number) {
    this.#signer = signer
    this.#toleranceMs = toleranceMs
  }

  /** Returns a key that signs in the signer's name, and adds it if it is new. */
  key(keyId: string): KnownKey {
    const known = this.#keys.get(keyId) ?? new KnownKey(keyId)
    this.#keys.set(keyId, known)
    return known
  }

  /** Adds a key with its messages and checkpoints. */
  addKey(key: KnownKey): void {
    this.#keys.set(key.keyId, key)
  }

  get keys(): Iterable<KnownKey> {
    return this.#keys.values()
  }

  add(checkpoint: Checkpoint): void {
    this.key(checkpoint.signer).add(checkpoint)
  }

  /** Number of received messages. */
  get size(): number {
    return [...this.keys].reduce((total, { seen }) => total + seen.size, 0)
  }

  get runs(): RunReport[] {
    return [...this.keys].flatMap(({ runs }) => runs)
  }

  /**
   * Reports on the present messages and checkpoints, in steps, because there may be very many. Later additions do not
   * change the report.
   */
  report(): Generator<void, SignerReport> {
    const { goneUntilMs } = this
    const settings = { toleranceMs: this.#toleranceMs, goneUntilMs }
    const steps = Array.from(this.keys, (key) => key.findings(settings))
    return this.#report(steps, this.name)
  }

  *#report(
    steps: readonly Generator<void, KeyFindings>[],
    name: string | undefined,
  ): Generator<void, SignerReport> {
    const found: KeyFindings[] = []
    for (const one of steps) found.push(yield* one)
    const all = <T>(of: (one: KeyFindings) => readonly T[]): T[] => {
      const list: T[] = []
      for (const one of found) appendAll(list, of(one))
      return list
    }
    const sum = (of: (one: KeyFindings) => number) => found.reduce((total, one) => total + of(one), 0)
    return verdictOn({
      ...{ signer: this.#signer, name, messages: sum(({ messages }) => messages) },
      ...{
        runs: all(({ runs }) => runs),
        missing: all(({ missing }) => missing),
        gaps: all(({ gaps }) => gaps),
      },
      missingInGaps: sum(({ missingInGaps }) => missingInGaps),
      ...{ forks: all(({ forks }) => forks), unlisted: all(({ unlisted }) => unlisted) },
      ...{ refused: sum(({ refused }) => refused), pending: sum(({ pending }) => pending) },
      unknown: sum(({ unknown }) => unknown),
    })
  }
}
