/** Messages and trusted keys of the verifier in IndexedDB, for a reload or a second tab. */
import { keep, recall } from './kept.ts'

const NAME = 'alvarium-demo-heard'
/** Maximum numbers of stored messages and keys, and maximum message size in bytes. */
const MOST = { messages: 100, keys: 20, bytes: 16_384 }
/** Milliseconds during which changes are collected for one write. */
const GATHER_MS = 500

interface Heard {
  readonly keys: readonly string[]
  readonly messages: readonly Uint8Array<ArrayBuffer>[]
}

export class Memory {
  #keys: string[] = []
  #messages: Uint8Array<ArrayBuffer>[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  async recall(): Promise<Heard> {
    const heard = await recall<Heard>(NAME)
    this.#keys = [...(heard?.keys ?? [])]
    this.#messages = [...(heard?.messages ?? [])]
    return { keys: this.#keys, messages: this.#messages }
  }

  trust(publicKey: string): void {
    if (this.#keys.includes(publicKey)) return
    this.#keys = [...this.#keys, publicKey].slice(-MOST.keys)
    this.#plan()
  }

  keep(message: Uint8Array): void {
    if (message.length > MOST.bytes) return
    this.#messages.push(message.slice())
    if (this.#messages.length > 2 * MOST.messages) this.#messages.splice(0, MOST.messages)
    this.#plan()
  }

  #plan(): void {
    this.#timer ??= setTimeout(() => this.#write(), GATHER_MS)
  }

  async #write(): Promise<void> {
    // Reset the timer first, so that later changes cause another write.
    this.#timer = undefined
    const heard: Heard = { keys: this.#keys, messages: this.#messages.slice(-MOST.messages) }
    await keep(NAME, heard)
  }
}
