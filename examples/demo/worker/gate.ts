/** Delays messages that would be lost without a connection or receiver, or in a simulated outage. */
import type { Connection } from '../protocol.ts'
import type { Sender } from '../transport/transport.ts'

export const CUT: Connection = {
  state: 'offline',
  reason: { code: 'STREAM_LOST', message: 'the connection is cut with the switch on this page' },
}

/** Gate in front of a {@link Sender}. While it is closed, messages wait; when it opens, they are sent in order. */
export class Gate {
  readonly #sender: Sender
  readonly #passed: () => void
  readonly #held = new Set<() => void>()
  #isOpen = false

  /** Makes a gate that calls `passed` after each message that the sender has published. */
  constructor(sender: Sender, passed: () => void) {
    this.#sender = sender
    this.#passed = passed
  }

  /** Publishes a message. Resolves when the sender has published it, which may take any time. */
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
