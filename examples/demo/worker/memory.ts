/** What the verifier has heard and whom it trusts, in IndexedDB: a reload, or a second tab, begins with it. */
import { keep, recall } from './kept.ts'

const NAME = 'alvarium-demo-heard'
/** The newest messages and keys that are kept, and bytes of the longest message. */
const MOST = { messages: 100, keys: 20, bytes: 16_384 }
/** What is heard in this time is written at once. */
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
    // What comes from here on is written next time.
    this.#timer = undefined
    const heard: Heard = { keys: this.#keys, messages: this.#messages.slice(-MOST.messages) }
    await keep(NAME, heard)
  }
}
