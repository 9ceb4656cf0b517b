import { AlvariumError, textOf } from '../base/errors.js'
import type { Call } from '../model/call.js'
import type { HashInput } from '../model/payload.js'
import { apiece } from '../seal/packed.js'
import { MOST_CALLS, PACKER_BYTES, Packer, writtenBytes } from '../seal/packer.js'
import { apartOf, isShared, sharedMemory } from './apart.js'
import type { Apart, GroupRequest, Setup } from './protocol.js'
import { type Outcome, outcomesOf, type Results } from './results.js'

/** What calls have in common; a worker is told before the first of them. */
export interface Context {
  readonly id: number
  readonly setup: Setup
  /** Calls that have not settled. */
  pending: number
  isFreed: boolean
}

/** Who waits for a call's result: a message, or the verified bundles of one. */
export interface Waiter {
  /** How long the call's payloads are. */
  readonly bytes: number
  resolve(result: Outcome): void
  reject(error: AlvariumError): void
}

/** Told when calls have settled. */
export type OnSettled = (context: Context, calls: number, bytes: number) => void

/** Packers of groups that are done, for the next ones. */
const spare: Packer[] = []
const MOST_SPARE = 32
/** Room for the digest of a payload that is not in the group; longer than any hash has. */
const ROOM_FOR_DIGEST: HashInput = { bytes: new Uint8Array(32), isDigest: true }

let lastId = 0

/** The id of the last group that was begun. */
export const lastGroup = (): number => lastId

/** Some calls of one context on their way through a worker. It can be sent again: nothing was published yet. */
export class Group {
  readonly id = ++lastId
  readonly context: Context
  /** Whether a worker has died on these calls before. */
  readonly isRetry: boolean
  readonly #packer = spare.pop() ?? new Packer(sharedMemory(PACKER_BYTES))
  readonly #waiters: Waiter[] = []
  readonly #apart: Apart[] = []
  readonly #onSettled: OnSettled

  constructor(context: Context, onSettled: OnSettled, isRetry = false) {
    this.context = context
    this.#onSettled = onSettled
    this.isRetry = isRetry
  }

  get size(): number {
    return this.#waiters.length
  }

  get isFull(): boolean {
    return this.size === MOST_CALLS
  }

  /** Digests of payloads that are not in the group may take more room than those. */
  hasRoom(bytes: number): boolean {
    return this.#packer.hasRoom(bytes + 2 * ROOM_FOR_DIGEST.bytes.length)
  }

  add(call: Call, waiter: Waiter): void {
    const payload = this.#inline(call.payload, call, this.#packer.length)
    const previousAt = this.#packer.length + payload.bytes.length
    const previous = call.previous && this.#inline(call.previous, call, previousAt)
    this.#packer.add({ ...call, payload, previous })
    this.#waiters.push(waiter)
  }

  /** What to post, and what of it to transfer. */
  request(): { readonly request: GroupRequest; readonly transfer: readonly ArrayBuffer[] } {
    const { memory, size, length } = this.#packer
    const handedOver = this.#apart.filter(({ isHandedOver }) => isHandedOver)
    const transfer = handedOver.map(({ payload }) => payload.buffer as ArrayBuffer)
    const sent = isShared(memory) ? memory : (memory as ArrayBuffer).slice(0, writtenBytes(length))
    if (sent !== memory) transfer.push(sent as ArrayBuffer)
    const { id: group, context } = this
    const calls = { memory: sent, size, length, apart: this.#apart }
    return { request: { type: 'group', group, context: context.id, ...calls }, transfer }
  }

  settle(results: Results): void {
    for (const [call, outcome] of outcomesOf(results).entries()) {
      const waiter = this.#waiters[call] as Waiter
      if (outcome instanceof AlvariumError) waiter.reject(outcome)
      else waiter.resolve(outcome)
    }
    this.#done()
    // Only now: a worker that has not answered may still be writing there.
    this.#packer.clear()
    if (spare.length < MOST_SPARE) spare.push(this.#packer)
  }

  reject(error: AlvariumError): void {
    for (const waiter of this.#waiters) waiter.reject(error)
    this.#done()
  }

  /**
   * The calls one by one, to be tried once more after a worker has died on one of them: whichever it was, the
   * others must not die with it. A payload that was handed over is gone with the worker, and its call is rejected.
   */
  retries(reason: unknown): readonly Group[] {
    return this.#apiece(reason, true)
  }

  /** The calls after the death of a worker that had not come to them; lost are those whose payload it had been handed. */
  remaining(reason: unknown): readonly Group[] {
    return this.#apart.every(isStillHere) ? [this] : this.#apiece(reason, this.isRetry)
  }

  #apiece(reason: unknown, isRetry: boolean): Group[] {
    return apiece(this.#packer.packed).flatMap((one, call) => {
      const start = one.bytes.byteOffset - this.#packer.packed.bytes.byteOffset
      const apart = this.#apart.filter(({ at }) => at >= start && at < start + one.bytes.length)
      const waiter = this.#waiters[call] as Waiter
      if (apart.every(isStillHere)) {
        const alone = new Group(this.context, this.#onSettled, isRetry)
        alone.#packer.copy(one)
        alone.#apart.push(...apart.map((piece) => ({ ...piece, at: piece.at - start })))
        alone.#waiters.push(waiter)
        return [alone]
      }
      waiter.reject(died(`${textOf(reason)}, and the payload that was handed over to it is lost`, reason))
      this.#onSettled(this.context, 1, waiter.bytes)
      return []
    })
  }

  #done(): void {
    const bytes = this.#waiters.reduce((sum, waiter) => sum + waiter.bytes, 0)
    this.#onSettled(this.context, this.size, bytes)
  }

  #inline(input: HashInput, { transfer = false }: Call, at: number): HashInput {
    const apart = input.isDigest ? undefined : apartOf(input.bytes, transfer)
    if (!apart) return input
    this.#apart.push({ ...apart, length: apart.payload.length, at })
    return ROOM_FOR_DIGEST
  }
}

function isStillHere({ payload, length }: Apart): boolean {
  return payload.length === length
}

/** The rejection of calls whose worker died. */
export function died(got: string, cause: unknown): AlvariumError {
  return new AlvariumError('CORE_FAILED', `pool: expected the worker to answer, got: ${got}`, { cause })
}
