import type { VerifiedBundle } from '../../verifying/verify/options.js'
import { KeyOwner } from './key-owner.js'
import { KnownKey } from './known-key.js'
import { KnownSigner } from './known-signer.js'
import type { Leaf } from './leaf.js'
import type { VerifiedCheckpoint } from './verify-checkpoint.js'

/** A key, and its owner. */
interface OwnedKey {
  readonly key: KnownKey
  readonly owner: KeyOwner
}

/** Messages and checkpoints by key, and keys by signer. */
export class KnownSigners {
  readonly #toleranceMs: number
  readonly #keys = new Map<string, OwnedKey>()

  /** @param toleranceMs - milliseconds by which the time of a message may differ from its place in the log */
  constructor(toleranceMs: number) {
    this.#toleranceMs = toleranceMs
  }

  addCheckpoint(checkpoint: VerifiedCheckpoint): void {
    const { key, owner } = this.#of(checkpoint.signer)
    owner.addCheckpoint(checkpoint)
    key.add(checkpoint)
  }

  /** @param first - one bundle of the message */
  addMessage(leaf: Leaf, first: VerifiedBundle, bundles: readonly VerifiedBundle[]): void {
    const { key, owner } = this.#of(first.signer)
    owner.addMessage(first)
    key.seen.add(leaf, bundles)
  }

  /** Returns the present signers, each with its keys. */
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

  /** Returns a key that has a checkpoint, and the key id of its signer. */
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
