import type { MessageHandler } from '../client.js'

export class Arrivals {
  readonly #seen = new Map<string, number>()
  #check = () => {}

  readonly take: MessageHandler = (_topic, payload) => {
    const name = nameOf(payload)
    this.#seen.set(name, (this.#seen.get(name) ?? 0) + 1)
    this.#check()
    return true
  }

  get size(): number {
    return this.#seen.size
  }

  /** Names of the messages, in the order of their first arrival. */
  get names(): readonly string[] {
    return [...this.#seen.keys()]
  }

  get repeated(): number {
    return [...this.#seen.values()].reduce((sum, times) => sum + times - 1, 0)
  }

  has(name: string): boolean {
    return this.#seen.has(name)
  }

  /** Resolves when the condition is true. Evaluates the condition now and after each received message. */
  when(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const before = this.#check
      this.#check = () => {
        before()
        if (condition()) resolve()
      }
      if (condition()) resolve()
    })
  }
}

const MAX_NAME_LENGTH = 32

/** Returns the name of a message made by {@link makeMessage}. */
export function nameOf(message: Uint8Array): string {
  return new TextDecoder().decode(message.subarray(0, MAX_NAME_LENGTH)).trimEnd()
}

/** Makes a message with this name, padded with spaces to `bytes` (at least 32). */
export function makeMessage(name: string, bytes = MAX_NAME_LENGTH): Uint8Array {
  const message = new Uint8Array(Math.max(bytes, MAX_NAME_LENGTH)).fill(SPACE)
  message.set(new TextEncoder().encode(name))
  return message
}

const SPACE = 0x20
