import type { PublishPacket } from './queued-message.js'
import { ReasonError, refuses } from './reasons.js'

/** What was in flight each time when so many connections ended is suspect: it may be the cause, and is then sent alone. */
const SUSPECT = 2
/** If a suspect was lost alone so often, while others were accepted, it is the cause. */
const POISON = 3
/** How long a connection has to last before a suspect is tried on it, as a part of a message's time: at least, at most. */
const STABLE = { least: 1 / 60, most: 1 / 6 }

/** Whether a packet is sent alone, so that a connection that ends meanwhile says which one is the cause. */
export function isSuspect({ losses }: PublishPacket): boolean {
  return losses >= SUSPECT
}

/** How a connection ended. */
export interface End {
  /** What was in flight. */
  readonly lost: readonly PublishPacket[]
  readonly reason: Error
  /** Whether we have cut it ourselves. */
  readonly isCut: boolean
}

/** What the end of a connection says about what was in flight. */
export interface Diagnosis {
  /** The broker has refused this one. */
  readonly named?: PublishPacket | undefined
  /** The suspects that wait were not the cause. */
  readonly areOthersCleared?: boolean
}

/**
 * Finds the poison message: one that the broker refuses by ending the connection, because MQTT 3.1.1 has no other way. It would
 * be sent again after each reconnect, and take all others with it, for ever.
 *
 * Connections end for many reasons that are no message's fault. A cluster without a majority ends them at every PUBLISH, another client
 * with the same `clientId` whenever it comes back. So a suspect that was lost waits until a connection has lasted for longer than
 * the one before, and others were accepted on it. Only if it is lost then, three times, is it the poison. If a connection ends
 * without it, the count begins again.
 */
export class PoisonDetector {
  readonly #publishTimeoutMs: number
  /** What was in flight when the last connection ended for no known reason. */
  #lost: readonly PublishPacket[] = []
  #beganAt = 0
  #stableMs: number
  #isStable = false
  #hasAccepted = false

  /** @param publishTimeoutMs - how long a message has */
  constructor(publishTimeoutMs: number) {
    this.#publishTimeoutMs = publishTimeoutMs
    this.#stableMs = publishTimeoutMs * STABLE.least
  }

  /** For how many milliseconds a new connection has to last before suspects are tried on it. */
  get stableMs(): number {
    return this.#stableMs
  }

  /** A message was accepted over this connection. */
  accepted(): void {
    this.#hasAccepted = true
  }

  /** This connection has lasted for that long. */
  stable(): void {
    this.#isStable = true
  }

  /** When suspects are sent: before others, once others were accepted; never before the connection is stable. */
  get turn(): 'first' | 'last' | 'later' {
    if (!this.#isStable) return 'later'
    return this.#hasAccepted ? 'first' : 'last'
  }

  /** A connection has ended. */
  ended({ lost, reason, isCut }: End): Diagnosis {
    this.#lost = []
    if (isCut) return {}
    const word = reason instanceof ReasonError ? reason.reason : undefined
    if (word && refuses(word, 'message')) return this.#named(lost)
    const ageMs = performance.now() - this.#beganAt
    const { least, most } = STABLE
    this.#stableMs = Math.min(
      Math.max(2 * ageMs, this.#publishTimeoutMs * least),
      this.#publishTimeoutMs * most,
    )
    if (!word || word.about === 'unsaid') this.#lost = lost
    return { areOthersCleared: !lost.some(isSuspect) }
  }

  /** The broker means one of these; which one, shows when they are sent alone. */
  #named(lost: readonly PublishPacket[]): Diagnosis {
    if (lost.length === 1) return { named: lost[0] }
    for (const packet of lost) packet.losses = Math.max(packet.losses, SUSPECT)
    return {}
  }

  /**
   * The connection is back.
   *
   * @param atOnce - with the first attempt; a broker that was away was lost for another reason
   * @returns the suspect that was lost alone, if it was one, and whether it is the poison
   */
  back(atOnce: boolean): { suspect?: PublishPacket | undefined; isPoison?: boolean } {
    // What was given up meanwhile is not sent any more.
    const lost = this.#lost.filter(({ queued }) => !queued.settled)
    this.#lost = []
    this.#beganAt = performance.now()
    this.#isStable = false
    this.#hasAccepted = false
    if (!atOnce) return {}
    const suspect = lost.find(isSuspect)
    for (const packet of lost) packet.losses++
    if (suspect?.isTried) suspect.strikes++
    return { suspect, isPoison: suspect !== undefined && suspect.strikes >= POISON }
  }
}
