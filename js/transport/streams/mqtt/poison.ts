import type { PublishPacket } from './queued-message.js'
import { ReasonError, refusesForGood } from './reasons.js'

/**
 * Number of lost connections after which a packet that was in flight each time is suspect. It may be the cause, and is
 * then sent alone.
 */
const MIN_SUSPECT_LOSSES = 2
/** Number of times that a suspect is lost alone, while others were accepted, until it counts as the cause. */
const MIN_POISON_STRIKES = 3
/** Minimum and maximum age of a connection before a suspect is tried on it, as shares of a message's timeout. */
const STABLE_SHARE = { least: 1 / 60, most: 1 / 6 }

/** Returns whether a packet is sent alone, so that a connection that ends meanwhile shows which packet is the cause. */
export function isSuspect({ losses }: PublishPacket): boolean {
  return losses >= MIN_SUSPECT_LOSSES
}

/** The end of a connection. */
export interface ConnectionEnd {
  /** Packets that were in flight. */
  readonly lost: readonly PublishPacket[]
  readonly reason: Error
  /** True if we have cut the connection ourselves. */
  readonly isCut: boolean
}

/** Conclusions from the end of a connection about the packets in flight. */
export interface Diagnosis {
  /** The packet that the broker has refused. */
  readonly refusedPacket?: PublishPacket | undefined
  /** True if the waiting suspects were not the cause. */
  readonly areOthersCleared?: boolean
}

/**
 * Finds the poison message: one that the broker refuses by ending the connection, because MQTT 3.1.1 has no other way.
 * It would be sent again after each reconnect, and take all others with it, forever.
 *
 * Connections end for many reasons that no message causes. A cluster without a majority ends them at every PUBLISH,
 * another client with the same `clientId` whenever it reconnects. So a lost suspect waits until a connection has lasted
 * longer than the one before, and others were accepted on it. Only if it is lost then, three times, is it the poison.
 * If a connection ends without it, the count begins again.
 */
export class PoisonDetector {
  readonly #publishTimeoutMs: number
  /** Packets in flight when the last connection ended for no known reason. */
  #lostPackets: readonly PublishPacket[] = []
  #beganAt = 0
  #stableMs: number
  #isStable = false
  #hasAccepted = false

  /** @param publishTimeoutMs - timeout of a message */
  constructor(publishTimeoutMs: number) {
    this.#publishTimeoutMs = publishTimeoutMs
    this.#stableMs = publishTimeoutMs * STABLE_SHARE.least
  }

  /** Milliseconds that a new connection must last before suspects are tried on it. */
  get stableMs(): number {
    return this.#stableMs
  }

  /** Records that a message was accepted over this connection. */
  recordAcceptance(): void {
    this.#hasAccepted = true
  }

  /** Records that this connection has lasted for `stableMs`. */
  recordStability(): void {
    this.#isStable = true
  }

  /**
   * Turn of the suspects: `first` once others were accepted on this connection, `last` before; `later` until the
   * connection is stable.
   */
  get turn(): 'first' | 'last' | 'later' {
    if (!this.#isStable) return 'later'
    return this.#hasAccepted ? 'first' : 'last'
  }

  /** Records the end of a connection. */
  recordEnd({ lost, reason, isCut }: ConnectionEnd): Diagnosis {
    this.#lostPackets = []
    if (isCut) return {}
    const code = reason instanceof ReasonError ? reason.reason : undefined
    if (code && refusesForGood(code, 'message')) return this.#suspectAll(lost)
    const ageMs = performance.now() - this.#beganAt
    const { least, most } = STABLE_SHARE
    this.#stableMs = Math.min(
      Math.max(2 * ageMs, this.#publishTimeoutMs * least),
      this.#publishTimeoutMs * most,
    )
    if (!code || code.about === 'unsaid') this.#lostPackets = lost
    return { areOthersCleared: !lost.some(isSuspect) }
  }

  /** Makes all packets suspects, because the broker means one of them: sending them alone shows which. */
  #suspectAll(lost: readonly PublishPacket[]): Diagnosis {
    if (lost.length === 1) return { refusedPacket: lost[0] }
    for (const packet of lost) packet.losses = Math.max(packet.losses, MIN_SUSPECT_LOSSES)
    return {}
  }

  /**
   * Records a new connection.
   *
   * @param atOnce - true if the first attempt succeeded; otherwise the broker was away, and the connection lost for
   * that reason
   * @returns the suspect that was lost alone, if any, and whether it is the poison
   */
  recordConnection(atOnce: boolean): { suspect?: PublishPacket | undefined; isPoison?: boolean } {
    // Packets of settled messages are not sent again.
    const lost = this.#lostPackets.filter(({ queued }) => !queued.settled)
    this.#lostPackets = []
    this.#beganAt = performance.now()
    this.#isStable = false
    this.#hasAccepted = false
    if (!atOnce) return {}
    const suspect = lost.find(isSuspect)
    for (const packet of lost) packet.losses++
    if (suspect?.isTried) suspect.strikes++
    return { suspect, isPoison: suspect !== undefined && suspect.strikes >= MIN_POISON_STRIKES }
  }
}
