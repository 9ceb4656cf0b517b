import type { Take } from '../client.js'

/** Counts what comes, and lets one wait for it. */
export class Arrivals {
  readonly #seen = new Map<string, number>()
  #check = () => {}

  /** For a client, whose messages it all acknowledges. */
  readonly take: Take = (_topic, payload) => {
    const name = nameOf(payload)
    this.#seen.set(name, (this.#seen.get(name) ?? 0) + 1)
    this.#check()
    return true
  }

  /** Different messages that have come. */
  get size(): number {
    return this.#seen.size
  }

  /** Their names, in the order in which they first came. */
  get names(): readonly string[] {
    return [...this.#seen.keys()]
  }

  /** How often messages came once more. */
  get doubled(): number {
    return [...this.#seen.values()].reduce((sum, times) => sum + times - 1, 0)
  }

  has(name: string): boolean {
    return this.#seen.has(name)
  }

  /** Resolves when it is so, which is asked after each message. */
  when(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const before = this.#check
      this.#check = () => {
        before()
        if (isSo()) resolve()
      }
      if (isSo()) resolve()
    })
  }
}

const LONGEST_NAME = 32

/** What a message made by {@link named} is called. */
export function nameOf(message: Uint8Array): string {
  return new TextDecoder().decode(message.subarray(0, LONGEST_NAME)).trimEnd()
}

/** Makes a message of so many bytes, and at least as many as a name may have. */
export function named(name: string, bytes = LONGEST_NAME): Uint8Array {
  const message = new Uint8Array(Math.max(bytes, LONGEST_NAME)).fill(SPACE)
  message.set(new TextEncoder().encode(name))
  return message
}

const SPACE = 0x20
