/** Holds messages back while they would go nowhere: no connection, nobody who listens, or cut by the visitor. */
import type { Connection } from '../protocol.ts'
import type { Sender } from '../transport/transport.ts'

/** What the page is told while the visitor has cut the connection. */
export const CUT: Connection = {
  state: 'offline',
  reason: { code: 'STREAM_LOST', message: 'the connection is cut with the switch on this page' },
}

/** Stands before a {@link Sender}. Closed, it holds messages back; opened, they go out in their order. */
export class Gate {
  readonly #sender: Sender
  readonly #passed: () => void
  readonly #held = new Set<() => void>()
  #isOpen = false

  /** `passed` is called whenever the other side has a message. */
  constructor(sender: Sender, passed: () => void) {
    this.#sender = sender
    this.#passed = passed
  }

  /** Resolves when the other side has it; held back, for as long as it takes: few come here at a time, see `shelf.ts`. */
  async publish(message: Uint8Array): Promise<void> {
    if (!this.#isOpen) await new Promise<void>((release) => this.#held.add(release))
    await this.#sender.publish(message)
    this.#passed()
  }

  open(): void {
    this.#isOpen = true
    for (const release of this.#held) release()
    this.#held.clear()
  }

  close(): void {
    this.#isOpen = false
  }
}
