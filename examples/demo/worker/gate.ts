/**
 * Holds messages back while they would be lost: without a connection, without a receiver, or when the visitor has cut
 * the connection.
 */
import type { Connection } from '../protocol.ts'
import type { Sender } from '../transport/transport.ts'

/** State for the page while the visitor has cut the connection. */
export const CUT: Connection = {
  state: 'offline',
  reason: { code: 'STREAM_LOST', message: 'the connection is cut with the switch on this page' },
}

/** Gate before a {@link Sender}. Closed, it holds messages back; when it opens, they are sent in order. */
export class Gate {
  readonly #sender: Sender
  readonly #passed: () => void
  readonly #held = new Set<() => void>()
  #isOpen = false

  /** Makes a gate that calls `passed` whenever the other side has a message. */
  constructor(sender: Sender, passed: () => void) {
    this.#sender = sender
    this.#passed = passed
  }

  /**
   * Publishes a message; resolves when the other side has it. May wait without limit, but for few messages at a time,
   * see `shelf.ts`.
   */
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
