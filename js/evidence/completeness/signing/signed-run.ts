import { toHex } from '../../../foundation/base/bytes/hex.js'
import { join } from '../../../foundation/base/bytes/join.js'
import { randomFill } from '../../../foundation/base/bytes/random.js'
import { expected } from '../../../foundation/base/errors.js'
import { type Logger, silentLogger } from '../../../foundation/base/logger.js'
import { TOO_LATE, unref, within } from '../../../foundation/base/time/timeout.js'
import { leafHash } from '../../../foundation/core/hashing.js'
import { EMPTY_ROOT, HASH_BYTES } from '../../../foundation/core/tree.js'
import type { LogState } from '../../../signing/keys/leased-key.js'
import type { LogSigner, RunContext, SigningRun } from '../../../signing/seal/log.js'
import { acceptanceOf, type StreamProvider } from '../../../transport/streams/stream.js'
import { identityBytes } from '../../../verifying/verify/extract.js'
import type { GrowthFrom } from '../../logs/growth-log.js'
import { LogTree } from '../../logs/log-tree.js'
import { noteKeyId, writeNote } from '../../logs/note.js'
import { originOf } from '../../logs/run-origin.js'
import type { AskedWitnesses } from '../../witness/options.js'
import { messageOfNote } from '../checkpoint/message.js'
import { type Checkpoint, ENTRY_BYTES, writeText } from '../checkpoint/text.js'
import { DeliveryStates } from './delivery-states.js'
import type { RunStore, SignerState } from './run-store.js'
import { RunWitnesses } from './run-witnesses.js'

export interface RunSettings {
  readonly stream: StreamProvider
  readonly every: number
  readonly everyMs: number
  readonly witnesses?: AskedWitnesses | undefined
}

export const FIELD = 'checkpoints.stream'

type WrittenCheckpoint = Pick<Checkpoint, 'size' | 'root' | 'at'>

interface NotesSigner extends LogSigner {
  readonly name: string
  readonly keyId: Uint8Array
}

/** Run of an SDK with one signing key: the log of its messages, and the checkpoints of that log. */
export class SignedRun implements SigningRun {
  readonly #settings: RunSettings
  readonly #store: RunStore
  readonly #id = toHex(randomFill(new Uint8Array(16)))
  readonly #deliveries = new DeliveryStates((refused) => this.#schedule(refused))
  #logger: Logger = silentLogger
  #streamTimeoutMs: number | undefined
  #signer: NotesSigner | undefined
  #bundles: number[] = []
  #number = 0
  #last: WrittenCheckpoint = { size: 0, root: EMPTY_ROOT, at: now() }
  /** Tree of the run's log, used if the WebAssembly core has no log, or if leases or witnesses need the peaks. */
  readonly #tree = new LogTree()
  #leaves: Uint8Array[] = []
  #sending: Promise<void> = Promise.resolve()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isDue = false
  #witnesses: RunWitnesses | undefined
  readonly #earlier: SignerState | undefined
  #before: LogState | undefined

  /** @param earlier - the previous run, if the application has stored the last checkpoint of that run */
  constructor(settings: RunSettings, store: RunStore, earlier: SignerState | undefined) {
    this.#settings = settings
    this.#store = store
    this.#earlier = earlier
  }

  async begin(signer: LogSigner, { logger, streamTimeoutMs }: RunContext): Promise<void> {
    this.#logger = logger
    this.#streamTimeoutMs = streamTimeoutMs
    const stored = await this.#store.begin(this.#id, logger)
    // Ignore a run of another signing key, because a checkpoint names only an earlier run of its own signer.
    this.#before = [this.#earlier, stored].find((one) => one?.signer === signer.signer)
    const name = originOf(signer.signer, this.#id)
    this.#signer = { ...signer, name, keyId: noteKeyId(name, signer.ed25519) }
    const { witnesses } = this.#settings
    const publish = (note: string) => this.#publish(messageOfNote(note))
    this.#witnesses = witnesses && new RunWitnesses(witnesses, this.#tree, publish, logger)
    // Sign a first checkpoint, so that the run is known even if the process is killed before the second one.
    this.#signCheckpoint(false)
  }

  signed(message: Uint8Array, bundles: number): void {
    if (!this.#signer?.takeLeaves) this.#leaves.push(leafHash(identityBytes(message)))
    this.#deliveries.add(message, this.#addPosition(bundles))
  }

  drafted(bundles: number): (message: Uint8Array | undefined) => void {
    return this.#deliveries.addDraft(this.#addPosition(bundles))
  }

  accepted(...accepted: Parameters<DeliveryStates['accept']>): void {
    this.#deliveries.accept(...accepted)
  }

  refused(message: Uint8Array): void {
    this.#deliveries.refuse(message)
  }

  state(): LogState | undefined {
    if (this.#bundles.length > 0) this.#signCheckpoint(false)
    const { size, root } = this.#last
    return size > 0 ? { run: this.#id, size, root } : undefined
  }

  #addPosition(bundles: number): number {
    const position = this.#last.size + this.#bundles.length
    this.#bundles.push(bundles)
    this.#schedule(this.#bundles.length)
    return position
  }

  async end(): Promise<void> {
    if (!this.#signer) return
    this.#signCheckpoint(true)
    this.#signer = undefined
    await this.#sending
    await this.#witnesses?.finish()
  }

  #schedule(news: number): void {
    if (news >= this.#settings.every) this.#scheduleNow()
    else this.#scheduleLater()
  }

  /** Schedules a checkpoint in a microtask, after the current call. Concurrent calls share the checkpoint. */
  #scheduleNow(): void {
    if (this.#isDue) return
    this.#isDue = true
    queueMicrotask(() => this.#signCheckpoint(false))
  }

  #scheduleLater(): void {
    if (this.#timer !== undefined || !this.#signer) return
    // Do not let the timer keep the process alive, because close() signs the last checkpoint.
    this.#timer = unref(setTimeout(() => this.#checkNews(), this.#settings.everyMs))
  }

  #checkNews(): void {
    this.#timer = undefined
    if (this.#bundles.length > 0 || this.#deliveries.hasNews) this.#signCheckpoint(false)
    else if (this.#deliveries.arePending) this.#scheduleLater()
  }

  /** Signs a checkpoint of the current log, and publishes it after the earlier checkpoints. */
  #signCheckpoint(isLast: boolean): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isDue = false
    const signer = this.#signer
    if (!signer) return
    if (signer.lease?.isValid === false) {
      if (!isLast) this.#scheduleLater()
      return
    }
    try {
      const { text, growthFrom } = this.#text(signer, isLast)
      const state = { signer: signer.signer, run: this.#id, ...this.#last }
      this.#sending = this.#sending
        .then(() => this.#send(signer, text, state))
        .then((note) => growthFrom && this.#witnesses?.show({ ...state, note, growthFrom }))
        .catch((error) => this.#report(error))
    } catch (error) {
      // Report the error instead of throwing it, because the caller may be a timer or a microtask. An example
      // is the error of a WebAssembly trap, which stops the core.
      this.#report(error)
    }
    if ((this.#deliveries.arePending || this.#deliveries.hasNews) && !isLast) this.#scheduleLater()
  }

  #text(signer: LogSigner, isLast: boolean): { text: string; growthFrom: GrowthFrom | undefined } {
    const { root, ids, peaks } = this.#takeLeaves(signer)
    const growthFrom = this.#witnesses?.append(ids)
    const bundles = this.#bundles
    this.#bundles = []
    const [from, before] = [this.#last, this.#before]
    const time = now()
    const at = time > from.at ? time : from.at
    this.#last = { size: from.size + bundles.length, root, at }
    const after = before && { run: before.run, size: before.size, root: before.root }
    const { pending, refused } = this.#deliveries.take()
    const head = { signer: signer.signer, run: this.#id, number: this.#number++, ...this.#last }
    const text = writeText({ ...head, from, peaks, after, pending, refused, isLast }, { ids, bundles })
    return { text, growthFrom }
  }

  /**
   * Removes and returns the leaves since the last checkpoint, with the root of the log. If the run has a
   * lease or witnesses, also returns the peaks of the log before these leaves.
   */
  #takeLeaves({ takeLeaves, lease }: LogSigner): {
    root: string
    ids: Uint8Array
    peaks: string[] | undefined
  } {
    const isProved = lease !== undefined || this.#witnesses !== undefined
    const peaks = isProved ? this.#tree.peaks.map(toHex) : undefined
    const bytes = isProved ? HASH_BYTES : ENTRY_BYTES
    if (takeLeaves) {
      const rootAndIds = takeLeaves(bytes)
      const ids = rootAndIds.subarray(HASH_BYTES)
      if (isProved) this.#tree.append(ids)
      return { root: toHex(rootAndIds.subarray(0, HASH_BYTES)), ids, peaks }
    }
    const leaves = this.#leaves
    this.#leaves = []
    if (leaves.length > 0) this.#tree.append(join(leaves).bytes)
    const { root } = this.#tree
    const ids = join(leaves.map((leaf) => leaf.subarray(0, bytes))).bytes
    return { root: root ? toHex(root) : EMPTY_ROOT, ids, peaks }
  }

  async #send({ name, keyId, sign }: NotesSigner, text: string, state: SignerState): Promise<string> {
    const note = writeNote(text, name, keyId, await sign(new TextEncoder().encode(text)))
    await this.#publish(messageOfNote(note), state)
    return note
  }

  /** @param state - state of the run, stored before publication; undefined if a checkpoint is published again */
  async #publish(message: Uint8Array, state?: SignerState): Promise<void> {
    const published = this.#storeAndPublish(message, state)
    const ms = this.#streamTimeoutMs
    if (ms === undefined) return published
    if ((await within(published, ms)) !== TOO_LATE) return
    throw expected('STREAM_TIMEOUT', FIELD, `a checkpoint to be accepted within ${ms} ms`, 'no answer')
  }

  async #storeAndPublish(message: Uint8Array, state: SignerState | undefined): Promise<void> {
    if (state) await this.#store.put(state, this.#logger)
    acceptanceOf(await this.#settings.stream.publish(message, { contentType: 'application/json' }))
  }

  #report(error: unknown): void {
    this.#logger.error({ err: error }, 'a checkpoint could not be published: the next one counts what it had')
  }
}

function now(): string {
  return new Date().toISOString().replace('Z', '000Z')
}
