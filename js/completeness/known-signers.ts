import type { VerifiedBundle } from '../verify/options.js'
import { KnownKey } from './known-key.js'
import { KnownSigner, type Who, whoOf } from './known-signer.js'
import type { Leaf } from './leaf.js'
import type { VerifiedCheckpoint } from './verify-checkpoint.js'

/** A key, and the signers by whose leases its checkpoints and its messages were accepted. */
interface OwnedKey {
  readonly key: KnownKey
  /** Owner by its checkpoints. */
  checkpoint?: Who
  /** Owner by its messages. */
  message?: Who
}

/**
 * Messages and checkpoints by key, and keys by signer. A run belongs to its key, so all of a key counts for one signer: with leases of several issuers, for
 * the one whose key id is the first in order.
 */
export class KnownSigners {
  readonly #toleranceMs: number
  readonly #keys = new Map<string, OwnedKey>()

  /** @param toleranceMs - how far from its place in the log the time of a message may be */
  constructor(toleranceMs: number) {
    this.#toleranceMs = toleranceMs
  }

  addCheckpoint(checkpoint: VerifiedCheckpoint): void {
    const owned = this.#of(checkpoint.signer)
    owned.checkpoint = firstOf(owned.checkpoint, whoOf(checkpoint))
    owned.key.add(checkpoint)
  }

  /** @param first - one bundle of the message */
  addMessage(leaf: Leaf, first: VerifiedBundle, bundles: readonly VerifiedBundle[]): void {
    const owned = this.#of(first.signer)
    owned.message = firstOf(owned.message, whoOf(first))
    owned.key.seen.add(leaf, bundles)
  }

  /** Returns the signers as of now, each with its keys. */
  signers(): KnownSigner[] {
    const signers = new Map<string, KnownSigner>()
    for (const owned of this.#keys.values()) {
      const who = ownerOf(owned)
      const known = signers.get(who.signer) ?? new KnownSigner(who.signer, this.#toleranceMs)
      signers.set(who.signer, known)
      known.name ??= who.name
      known.take(owned.key)
    }
    return [...signers.values()]
  }

  /** Returns a key that has a checkpoint, and the key id of its signer. */
  logged(keyId: string): { readonly key: KnownKey; readonly signer: string } {
    const owned = this.#of(keyId)
    return { key: owned.key, signer: ownerOf(owned).signer }
  }

  #of(keyId: string): OwnedKey {
    const owned = this.#keys.get(keyId) ?? { key: new KnownKey(keyId) }
    this.#keys.set(keyId, owned)
    return owned
  }
}

function ownerOf({ checkpoint, message, key }: OwnedKey): Who {
  return checkpoint ?? message ?? { signer: key.keyId }
}

function firstOf(one: Who | undefined, other: Who): Who {
  return one === undefined || other.signer < one.signer ? other : one
}
