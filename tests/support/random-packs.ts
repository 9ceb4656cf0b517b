import { sha256 } from '@noble/hashes/sha2.js'
import { identityBytes, keyOf, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { bundlesName, type MakePackOptions, type PackSubject } from 'alvarium-sdk/packs'
import type { ScoringPolicyFile } from 'alvarium-sdk/score'
import { proveAbsent, proveMember, sealSet } from 'alvarium-sdk/sets'
import { issueLease, readLease } from 'alvarium-sdk/trust'
import { extractBundles } from 'alvarium-sdk/verify'
import type { Random } from '../attack/random.mjs'
import { concat, utf8 } from './bytes.js'
import { craftedBundle, craftedCheckpoint, type Holder, keyOfText, rootOf, runOf } from './crafted.js'
import { signer } from './packs.js'

const scorePolicies = (trusted: readonly Holder[]): ScoringPolicyFile[] => [
  { version: 1 },
  { version: 1, weights: { src: 3, tls: 0 }, required: ['tls'] },
  {
    version: 1,
    repeats: 'each',
    ancestors: 'product',
    trust: [{ signer: trusted[1]?.keyId as string, trust: 0.5 }],
  },
  { version: 1, ancestors: 'own', unknown: 'ignore', trust: [{ kind: 'tls', trust: 0 }] },
]

/** A message with its place in the log of its signer. */
interface Logged {
  readonly message: Uint8Array
  readonly leaf: Uint8Array
}

/** Payloads. Only trusted signers speak of the last one, so a seal can cover all of its verified bundles. */
const TEXTS = ['a reading', 'raw', 'another', 'a model']
/** Payloads in batches, which no seal covers. */
const IN_BATCHES = ['one', 'two', 'three']
const HOURS = [0, 1, 2, 3, 4, 5]
const at = (hour: number, minute = 0) =>
  `2026-01-01T${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00.000000Z`

type LogState = NonNullable<Parameters<typeof issueLease>[1]['log']>

/**
 * Genuine messages, leases, checkpoints, sets and proofs of four signers: the reader trusts two, knows nothing of the third, and the fourth has
 * leases.
 */
export class PackParts {
  readonly trusted = [signer('device'), signer('store')]
  readonly #stranger = signer('stranger')
  readonly #leased = signer('leased')
  readonly #signers = [...this.trusted, this.#stranger, this.#leased]
  readonly #leases: Uint8Array[] = []
  /** Logs that leases may state. */
  readonly #states: LogState[] = []
  readonly #messages: Logged[][] = this.#signers.map(() => [])
  readonly #pieces: Uint8Array[] = []
  /** Ids of bundles of trusted signers, by the text that they are about. */
  readonly #ids = new Map<string, string[]>(TEXTS.map((text) => [text, []]))
  /** Number of bundles in each batch, by its leaf. */
  readonly #counts = new Map<string, number>()
  readonly #checkpoints: Uint8Array[] = []
  readonly #sets: { readonly id: string; readonly message: Uint8Array; readonly isWhole: boolean }[] = []
  readonly #proofs: { readonly set: string; readonly key: string; readonly proof: Uint8Array }[] = []
  readonly #random: Random

  private constructor(random: Random) {
    this.#random = random
  }

  static async made(random: Random): Promise<PackParts> {
    const parts = new PackParts(random)
    for (const [place, one] of parts.#signers.entries()) {
      parts.#makeBundles(one, place)
      await parts.#makeBatch(one, place)
      parts.#makeChain(one, place)
      for (let left = 2; left > 0; left--) parts.#makeRun(one, place, 3 + left)
    }
    for (const one of parts.#signers) await parts.#makeSets(one)
    for (let left = 6; left > 0; left--) await parts.#makeLease()
    return parts
  }

  get leased(): Holder {
    return this.#leased
  }

  /** Serials of the leases, by the key id of their issuer. */
  get serials(): readonly { readonly issuer: string; readonly serial: string }[] {
    return this.#leases.map((lease) => readLease(lease))
  }

  async #makeLease(): Promise<void> {
    const random = this.#random
    const issuer = random.pick([...this.trusted, ...this.trusted, this.#stranger])
    // A lease for a public key that the policy has is refused.
    const subject = random.below(8) === 0 && issuer !== this.trusted[0] ? this.trusted[0] : this.#leased
    const from = Date.parse(at(random.below(4)))
    const [hosts, kinds] = [random.pick([undefined, undefined, ['edge-*'], ['other']]), ['src']]
    this.#leases.push(
      await issueLease(issuer.signingKey, {
        subject: (subject ?? this.#leased).signingKey,
        from,
        ttlMs: 3_600_000 * (1 + random.below(6)),
        ...(hosts && { hosts }),
        ...(random.below(8) === 0 && { kinds }),
        ...(random.below(2) === 0 && { log: random.pick(this.#states) }),
      }),
    )
  }

  #noteState(holder: Holder, run: string, leaves: readonly Uint8Array[]): void {
    if (holder === this.#leased) this.#states.push({ run, size: leaves.length, root: toHex(rootOf(leaves)) })
  }

  #makeBundles(holder: Holder, place: number): void {
    for (let left = 10; left > 0; left--) {
      const about = this.#random.pick(place < this.trusted.length ? TEXTS : TEXTS.slice(0, 3))
      const timestamp = at(this.#random.pick(HOURS), this.#random.below(60))
      const says = { src: this.#random.below(3) > 0, tls: this.#random.below(2) > 0 }
      const previous = this.#random.below(3) === 0 ? this.#random.pick(TEXTS) : undefined
      const action = previous === undefined ? this.#random.pick(['create', 'transit']) : 'mutate'
      const made = craftedBundle(holder, { about, timestamp, says, action, ...(previous && { previous }) })
      this.#messages[place]?.push(made)
      if (place < this.trusted.length) this.#ids.get(about)?.push(made.id)
    }
  }

  async #makeBatch({ signingKey }: Holder, place: number): Promise<void> {
    const stream = memory()
    const sdk = await openSdk({ signingKey, annotators: [source()], stream, batch: {} })
    await sdk.createMany(IN_BATCHES.map(utf8))
    await sdk.close()
    for (const message of stream.messages) {
      const leaf = sha256(concat(Uint8Array.of(0), identityBytes(message)))
      this.#counts.set(toHex(leaf), 3)
      this.#messages[place]?.push({ message, leaf })
      for await (const piece of extractBundles(message)) this.#pieces.push(piece)
    }
  }

  /** Creates three successive runs, of which each names the one before it. */
  #makeChain(holder: Holder, place: number): void {
    const all = (this.#messages[place] as Logged[]).map(({ leaf }) => leaf)
    const isNamed = this.#random.below(3) > 0
    const runs = [all.slice(0, 4), all.slice(4, 8), all.slice(8)].map((leaves, at) => ({
      run: runOf(String(at + 1)),
      leaves,
    }))
    for (const [place, { run, leaves }] of runs.entries()) {
      const after = isNamed && place > 0 ? { after: runs[place - 1] as never } : {}
      for (const [number, fromSize] of [0, 2].entries()) {
        const size = number === 0 ? 2 : leaves.length
        const times = { fromAt: at(place, 30 * number), at: at(place, 30 * number + 29) }
        this.#noteState(holder, run, leaves.slice(0, size))
        const more = { ...times, end: number === 1, counts: this.#counts, ...after }
        this.#checkpoints.push(
          craftedCheckpoint(holder, { run, number, fromSize, leaves: leaves.slice(0, size), ...more }),
        )
      }
    }
  }

  /** Creates the checkpoints of one run; sometimes with a second one of a number, or after another run. */
  #makeRun(holder: Holder, place: number, digit: number): void {
    const random = this.#random
    const leaves = random.shuffled(this.#messages[place] as Logged[]).map(({ leaf }) => leaf)
    const [run, begin] = [runOf(String(digit)), random.pick(HOURS)]
    const sizes = [0, 1 + random.below(3), 4 + random.below(3), 8 + random.below(5)]
    for (let number = 0; number < 3; number++) {
      const [fromSize, size] = [sizes[number], sizes[number + 1]] as [number, number]
      const ranges = () => (random.below(4) === 0 ? `0-${size - 1}` : undefined)
      const make = (some: readonly Uint8Array[]) =>
        craftedCheckpoint(holder, {
          run,
          number,
          leaves: some,
          fromSize,
          counts: this.#counts,
          peaks: random.below(2) === 0,
          fromAt: at(begin, 10 * number),
          at: at(begin, 10 * number + 10),
          pending: ranges() as never,
          refused: ranges() as never,
          end: number === 2 && random.below(2) === 0,
          ...(random.below(3) === 0 && {
            after: { run: runOf(String(1 + random.below(6))), leaves: leaves.slice(0, random.below(12)) },
          }),
        })
      this.#checkpoints.push(make(leaves.slice(0, size)))
      this.#noteState(holder, run, leaves.slice(0, size))
      if (random.below(5) === 0)
        this.#checkpoints.push(make([...leaves.slice(0, fromSize), ...leaves.slice(-1)]))
    }
  }

  async #makeSets({ signingKey }: Holder): Promise<void> {
    const random = this.#random
    for (const text of TEXTS) {
      const all = this.#ids.get(text) as string[]
      const some = random.below(2) === 0 ? all : all.filter(() => random.below(3) > 0)
      const name = bundlesName({ hash: 'sha256', key: keyOfText(text) }) as string
      const salt = random.below(6) === 0 ? { salt: new Uint8Array(32) } : {}
      await this.#seal(some, { signingKey, name, ...salt }, some === all)
    }
    const keys = TEXTS.slice(0, 3).map((text) => keyOf(utf8(text)))
    const { set, list } = await this.#seal(keys, { signingKey, name: 'training-7' }, true)
    for (const key of keys) this.#proofs.push({ set, key, proof: proveMember(list, key) })
    const absent = keyOf(utf8('absent'))
    this.#proofs.push({ set, key: absent, proof: proveAbsent(list, absent) })
  }

  async #seal(items: readonly string[], options: Parameters<typeof sealSet>[1], isWhole: boolean) {
    const { message, set, list } = await sealSet(items, options)
    this.#sets.push({ id: set.id, message, isWhole })
    return { set: set.id, list }
  }

  /** Returns a random part of the messages, each kind in any order and some twice, in a pack about anything. */
  given(): [messages: Uint8Array[], options: Omit<MakePackOptions, 'trust'>] {
    const random = this.#random
    const messages = [...this.#messages.flat().map(({ message }) => message), ...this.#pieces]
    const isWhole = random.below(2) === 0
    const some = <T>(all: readonly T[]) => {
      const most = isWhole ? 200 : 1 + random.below(6)
      return random
        .shuffled(all.flatMap((one) => (random.below(most) > 0 ? [one] : [])))
        .flatMap((one) => (random.below(9) === 0 ? [one, one] : [one]))
    }
    const options = {
      about: this.#about(),
      score: random.pick(scorePolicies(this.trusted)),
      leases: some(this.#leases),
      checkpoints: some(isWhole ? this.#checkpoints.slice(0, 6) : this.#checkpoints),
      sets: some(this.#sets.filter((one) => one.isWhole || !isWhole).map(({ message }) => message)),
      proofs: some(this.#proofs),
    }
    return [some(messages).map((one) => (isWhole ? one : this.#altered(one))), options]
  }

  #altered(message: Uint8Array): Uint8Array {
    if (this.#random.below(60) > 0) return message
    const at = this.#random.below(message.length)
    return message.with(at, this.#random.pick([...utf8('0a"{} ')]))
  }

  #about(): PackSubject {
    const random = this.#random
    const who = random.pick(this.#signers).keyId
    const from = random.below(6)
    const [first, last] = [random.pick(HOURS), random.pick(HOURS)].sort() as [number, number]
    return random.pick<PackSubject>([
      { query: 'anything' },
      { payload: { hash: 'sha256', key: keyOfText(random.pick(TEXTS)) } },
      { payload: { hash: 'sha256', key: keyOfText('a model') } },
      { set: random.pick(this.#sets).id },
      { set: random.pick(this.#proofs).set },
      {
        log: {
          signer: who,
          run: runOf(String(1 + random.below(6))),
          from,
          until: from + 1 + random.below(8),
        },
      },
      { signer: { id: who, from: at(first), until: at(last, 59) } },
      { signer: { id: this.trusted[0]?.keyId as string, from: at(0), until: at(1 + random.below(2), 59) } },
      { signer: { id: who, from: at(first, 10), until: at(first, 20) } },
    ])
  }
}
