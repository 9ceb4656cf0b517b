import { toHex } from 'alvarium-sdk'
import { type IssueLeaseOptions, issueLease, readLease } from 'alvarium-sdk/trust'
import type { Random } from '../attack/random.mjs'
import type { Party } from './by-hand.js'
import { fromLatin1, latin1Text } from './bytes.js'
import { rootOf } from './crafted.js'
import { signer } from './packs.js'
import { type RunByHand, runByHand } from './run-by-hand.js'
import { signAgain } from './sign-again.js'

/** One message of an archive, or of an export of a store. */
export interface ArchivedMessage {
  readonly message: Uint8Array
  /** Milliseconds since 1970. */
  readonly receivedAt?: number | undefined
}

/** Noon of the day of the archives, in milliseconds since 1970. */
export const NOON = Date.parse('2026-11-20T12:00:00Z')
const SECOND = 1_000
const MINUTE = 60 * SECOND

/** Genuine runs of four signers: the reader trusts two, knows nothing of the third, and the fourth has leases. */
export class ArchiveParts {
  readonly trusted = [signer('device'), signer('store')]
  readonly #stranger = signer('stranger')
  readonly #leased = signer('leased')
  readonly #random: Random
  readonly #lives: RunByHand[][]
  readonly leases: Uint8Array[] = []

  private constructor(random: Random) {
    this.#random = random
    const parties = [...this.trusted, this.#stranger, this.#leased]
    this.#lives = parties.map((party) => this.#livesOf(party))
  }

  static async make(random: Random): Promise<ArchiveParts> {
    const parts = new ArchiveParts(random)
    for (let left = 5; left > 0; left--) parts.leases.push(await parts.#newLease())
    return parts
  }

  /** Serials of the leases, with the key ids of their issuers. */
  get serials(): readonly { readonly issuer: string; readonly serial: string }[] {
    return this.leases.map((lease) => readLease(lease))
  }

  #livesOf(party: Party): RunByHand[] {
    const random = this.#random
    const lives: RunByHand[] = []
    for (let at = 1 + random.below(2); at > 0; at--) {
      const begin = NOON + lives.length * random.pick([3 * SECOND, 90 * SECOND])
      lives.push(runByHand(random, party, begin, lives.at(-1), undefined, party === this.#leased))
    }
    // A second life with the run id of the first one is a fork.
    if (random.below(6) === 0)
      lives.push(runByHand(random, party, NOON, undefined, lives[0]?.run, party === this.#leased))
    return lives
  }

  #newLease(): Promise<Uint8Array> {
    const random = this.#random
    const issuer = random.pick([...this.trusted, ...this.trusted, ...this.trusted, this.#stranger])
    const life = random.pick(this.#lives.at(-1) as RunByHand[])
    const size = 1 + random.below(Math.max(1, life.log.length))
    const leaves = life.log.slice(0, size).map(({ leaf }) => leaf)
    const log = { run: life.run, size: leaves.length, root: toHex(rootOf(leaves)) }
    const options: IssueLeaseOptions = {
      subject: this.#leased.signingKey,
      from: NOON - MINUTE + random.below(5) * 30 * SECOND,
      ttlMs: random.pick([1, 3, 10]) * MINUTE,
      ...(random.below(5) === 0 && { hosts: ['edge-8'] }),
      ...(leaves.length > 0 && random.below(2) === 0 && { log }),
    }
    return issueLease(issuer.signingKey, options)
  }

  /** Returns all messages in their order of arrival, with the times at which a store received them. */
  stored(): ArchivedMessage[] {
    const messages = this.#lives
      .flat()
      .flatMap(({ log, notes }) => [...log.map(({ message }) => message), ...notes])
    return [...this.leases, ...messages].map((message) => ({ message, receivedAt: this.#receipt() }))
  }

  #receipt(): number {
    return NOON + this.#random.pick([2 * MINUTE, 2 * MINUTE, 8 * MINUTE, 60 * MINUTE])
  }

  /** Returns a file of messages: of each run from some checkpoint on. */
  archive(): ArchivedMessage[] {
    const random = this.#random
    const kept = this.#lives.flat().flatMap(({ log, notes }) => {
      const cut = random.below(4) === 0 ? random.below(notes.length) : 0
      return [...log.map(({ message }) => message), ...notes.slice(cut)]
    })
    return [...this.leases, ...kept].map((message) => ({ message }))
  }

  /** Changes an archive or an export, as a thief does with another one and the private keys of trusted signers. */
  mutated(all: readonly ArchivedMessage[], other: readonly ArchivedMessage[]): ArchivedMessage[] {
    const random = this.#random
    const oneIn = random.pick([1_000, 30, 10, 3])
    const changed = all.flatMap((one) => {
      if (random.below(oneIn) > 0) return [one]
      return random.pick([
        () => [],
        () => [one, one],
        () => [{ ...one, message: random.pick(other).message }],
        () => [{ ...one, message: this.#signAgain(one.message) }],
        () => [{ ...one, message: this.#alter(one.message) }],
        () => [{ ...one, ...(one.receivedAt !== undefined && { receivedAt: this.#receipt() }) }],
      ])()
    })
    return random.below(2) === 0 ? changed : random.shuffled(changed)
  }

  #signAgain(message: Uint8Array): Uint8Array {
    return signAgain(message, this.#random.pick(this.trusted), this.#leased)
  }

  #alter(message: Uint8Array): Uint8Array {
    const text = latin1Text(message)
    const at = this.#random.below(text.length)
    const character = this.#random.pick([...'0a"{}: ,9Z\\'])
    return fromLatin1(text.slice(0, at) + character + text.slice(at + 1))
  }
}
