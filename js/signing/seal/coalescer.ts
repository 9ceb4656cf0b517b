import { messagesOf } from '../../foundation/base/bytes/join.js'
import { AlvariumError } from '../../foundation/base/errors.js'
import type { Deferred } from '../../foundation/base/time/promises.js'
import { bytesOf, type Call } from '../../foundation/model/call.js'
import { type PackedCalls, splitCalls } from './packed.js'
import { Packer } from './packer.js'

export interface SealFunctions {
  readonly one: (call: Call) => Uint8Array
  /** Signs a bundle for each call of a group, and returns the joined messages. If one call fails, signs none. */
  readonly group: (group: PackedCalls) => Uint8Array
  /** Callback for each message, in the order in which the core has signed the messages. */
  readonly sealed?: ((message: Uint8Array) => void) | undefined
}

/**
 * Coalescer of the calls in one turn of the event loop. The first call is signed at once, because it may be the only
 * one. The core receives the others as a group. Each call still gets a signature of its own, but a group takes a fifth
 * less time than single calls.
 */
export class Coalescer {
  readonly #seals: SealFunctions
  #packer: Packer | undefined
  #waiters: Deferred<Uint8Array>[] = []
  #isOpen = false

  constructor(seals: SealFunctions) {
    this.#seals = seals
  }

  seal(call: Call): Uint8Array | Promise<Uint8Array> {
    if (this.#isOpen) return this.#add(call)
    this.#isOpen = true
    queueMicrotask(() => {
      this.#isOpen = false
      this.#flush()
    })
    return this.#one(call)
  }

  #one(call: Call): Uint8Array {
    const message = this.#seals.one(call)
    this.#seals.sealed?.(message)
    return message
  }

  #add(call: Call): Uint8Array | Promise<Uint8Array> {
    this.#packer ??= new Packer()
    const bytes = bytesOf(call)
    if (!this.#packer.hasRoom(bytes)) this.#flush()
    if (!this.#packer.hasRoom(bytes)) return this.#one(call)
    this.#packer.add(call)
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }))
  }

  #flush(): void {
    if (!this.#packer || this.#waiters.length === 0) return
    const waiters = this.#waiters
    this.#waiters = []
    const outcomes = sealGroup(this.#packer.packed, this.#seals.group)
    this.#packer.clear()
    const { sealed } = this.#seals
    if (sealed) for (const one of outcomes) if (!(one instanceof AlvariumError)) sealed(one)
    for (const [at, { resolve, reject }] of waiters.entries()) {
      const outcome = outcomes[at]
      if (!outcome || outcome instanceof AlvariumError) reject(outcome)
      else resolve(outcome)
    }
  }
}

function sealGroup(
  group: PackedCalls,
  seal: SealFunctions['group'],
): readonly (Uint8Array | AlvariumError)[] {
  try {
    return messagesOf(seal(group))
  } catch {
    return sealEach(group, seal)
  }
}

/** Signs each call of a group separately, so that one failure does not affect others. Returns messages and errors. */
export function sealEach(
  group: PackedCalls,
  seal: SealFunctions['group'],
): readonly (Uint8Array | AlvariumError)[] {
  return splitCalls(group).map((call) => {
    try {
      return messagesOf(seal(call))[0] as Uint8Array
    } catch (error) {
      if (error instanceof AlvariumError) return error
      throw error
    }
  })
}
