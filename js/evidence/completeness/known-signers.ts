import type { VerifiedBundle } from '../../verifying/verify/options.js'
import type { Leaf } from './checkpoint/leaf.js'
import type { Checkpoint } from './checkpoint/text.js'
import type { VerifiedCheckpoint } from './checkpoint/verify-checkpoint.js'
import { KeyOwner } from './key-owner.js'
import { type KeyFindings, KnownKey } from './known-key.js'
import type { RunReport, SignerReport } from './report.js'
import { verdictOn } from './report.js'

interface OwnedKey {
  readonly key: KnownKey
  readonly owner: KeyOwner
}

export class KnownSigners {
  readonly #toleranceMs: number
  readonly #keys = new Map<string, OwnedKey>()

  constructor(toleranceMs: number) {
    this.#toleranceMs = toleranceMs
  }

  addCheckpoint(checkpoint: VerifiedCheckpoint): void {
    const { key, owner } = this.#of(checkpoint.signer)
    owner.addCheckpoint(checkpoint)
    key.add(checkpoint)
  }

  addMessage(leaf: Leaf, first: VerifiedBundle, bundles: readonly VerifiedBundle[]): void {
    const { key, owner } = this.#of(first.signer)
    owner.addMessage(first)
    key.seen.add(leaf, bundles)
  }

  signers(): KnownSigner[] {
    const signers = new Map<string, KnownSigner>()
    for (const { key, owner } of this.#keys.values()) {
      const { signer, name } = owner.signer
      const known = signers.get(signer) ?? new KnownSigner(signer, this.#toleranceMs)
      signers.set(signer, known)
      known.name ??= name
      known.addKey(key)
    }
    return [...signers.values()]
  }

  keyWithSigner(keyId: string): { readonly key: KnownKey; readonly signer: string } {
    const { key, owner } = this.#of(keyId)
    return { key, signer: owner.signer.signer }
  }

  #of(keyId: string): OwnedKey {
    const owned = this.#keys.get(keyId) ?? { key: new KnownKey(keyId), owner: new KeyOwner(keyId) }
    this.#keys.set(keyId, owned)
    return owned
  }
}

/**
 * A signer with its own key and the keys that its leases permit. Each key has separate runs, and the
 * checkpoints of one key do not list messages of another key.
 */
export class KnownSigner {
  readonly #signer: string
  readonly #toleranceMs: number
  readonly #keys = new Map<string, KnownKey>()
  name: string | undefined
  /** Time in milliseconds since 1970 before which messages may have been removed: see {@link KeySettings}. */
  prunedUntilMs = Number.NEGATIVE_INFINITY

  constructor(signer: string, toleranceMs: number) {
    this.#signer = signer
    this.#toleranceMs = toleranceMs
  }

  key(keyId: string): KnownKey {
    const known = this.#keys.get(keyId) ?? new KnownKey(keyId)
    this.#keys.set(keyId, known)
    return known
  }

  addKey(key: KnownKey): void {
    this.#keys.set(key.keyId, key)
  }

  get keys(): Iterable<KnownKey> {
    return this.#keys.values()
  }

  add(checkpoint: Checkpoint): void {
    this.key(checkpoint.signer).add(checkpoint)
  }

  get size(): number {
    return [...this.keys].reduce((total, { seen }) => total + seen.size, 0)
  }

  get runs(): RunReport[] {
    return [...this.keys].flatMap(({ runs }) => runs)
  }

  /**
   * Reports on the messages and checkpoints that are known now. Yields between steps, because there may be
   * very many. Later additions do not change the report.
   */
  report(): Generator<void, SignerReport> {
    const { prunedUntilMs } = this
    const settings = { toleranceMs: this.#toleranceMs, prunedUntilMs }
    const steps = Array.from(this.keys, (key) => key.findings(settings))
    return this.#report(steps, this.name)
  }

  *#report(
    steps: readonly Generator<void, KeyFindings>[],
    name: string | undefined,
  ): Generator<void, SignerReport> {
    const found: KeyFindings[] = []
    for (const one of steps) found.push(yield* one)
    const sum = (of: (one: KeyFindings) => number) => found.reduce((total, one) => total + of(one), 0)
    return verdictOn({
      signer: this.#signer,
      name,
      messages: sum(({ messages }) => messages),
      runs: found.flatMap(({ runs }) => runs),
      missing: found.flatMap(({ missing }) => missing),
      gaps: found.flatMap(({ gaps }) => gaps),
      missingInGaps: sum(({ missingInGaps }) => missingInGaps),
      forks: found.flatMap(({ forks }) => forks),
      unlisted: found.flatMap(({ unlisted }) => unlisted),
      refused: sum(({ refused }) => refused),
      pending: sum(({ pending }) => pending),
      unknown: sum(({ unknown }) => unknown),
    })
  }
}
