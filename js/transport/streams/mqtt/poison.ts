import type { PublishPacket } from './queued-message.js'
import { isPermanentRefusal, ReasonError } from './reasons.js'

/**
 * Number of connections that must end while a packet is in flight to make the packet a suspect. A suspect may
 * be the cause of these ends, and is sent alone from then on.
 */
const MIN_SUSPECT_LOSSES = 2
/**
 * Number of strikes after which a suspect is rejected. A strike is a connection that ended while the suspect
 * was in flight alone, after other messages had been accepted over that connection.
 */
const MIN_POISON_STRIKES = 3
/** Minimum and maximum of `stableMs`, as shares of a message's timeout. */
const STABLE_SHARE = { least: 1 / 60, most: 1 / 6 }

export function isSuspect({ losses }: PublishPacket): boolean {
  return losses >= MIN_SUSPECT_LOSSES
}

interface Diagnosis {
  /** Packet that the broker named as the reason when it ended the connection. */
  readonly refusedPacket?: PublishPacket | undefined
  /** True if no suspect was in flight when the connection ended. The `strikes` of waiting suspects are then reset. */
  readonly areOthersCleared?: boolean
}

/**
 * Detects a poison message: one that the broker refuses by ending the connection, as MQTT 3.1.1 provides no
 * other way. Without detection, the queue would resend it after each reconnection, and every connection would end.
 *
 * Connections also end for reasons that no message causes. A broker cluster that has lost its majority ends a
 * connection at every PUBLISH. Another client with the same `clientId` ends ours whenever it connects. After
 * a reconnection at the first attempt, a suspect that was in flight is therefore held back until the new
 * connection is stable (`stableMs`). Then it is sent last, or first once that connection has accepted another
 * message. If three connections end at the suspect after accepting others, it is the poison message. If a
 * connection ends without a suspect in flight, the count begins again.
 */
export class PoisonDetector {
  readonly #publishTimeoutMs: number
  /** Packets in flight when the last connection ended for no known reason. */
  #lostPackets: readonly PublishPacket[] = []
  #beganAt = 0
  #stableMs: number
  #isStable = false
  #hasAccepted = false

  constructor(publishTimeoutMs: number) {
    this.#publishTimeoutMs = publishTimeoutMs
    this.#stableMs = publishTimeoutMs * STABLE_SHARE.least
  }

  /** Milliseconds that a new connection must last before a suspect is sent on it. */
  get stableMs(): number {
    return this.#stableMs
  }

  recordAcceptance(): void {
    this.#hasAccepted = true
  }

  recordStability(): void {
    this.#isStable = true
  }

  /**
   * Position of the suspects among the packets: `later` until the connection is stable, `last` until it has
   * accepted another message, then `first`.
   */
  get turn(): 'first' | 'last' | 'later' {
    if (!this.#isStable) return 'later'
    return this.#hasAccepted ? 'first' : 'last'
  }

  /**
   * Records the end of a connection, with the packets in flight. `isCut` is true if we have ended it
   * ourselves.
   */
  recordEnd(lost: readonly PublishPacket[], reason: Error, isCut: boolean): Diagnosis {
    this.#lostPackets = []
    if (isCut) return {}
    const code = reason instanceof ReasonError ? reason.reason : undefined
    if (code && isPermanentRefusal(code, 'message')) return this.#suspectAll(lost)
    const ageMs = performance.now() - this.#beganAt
    const { least, most } = STABLE_SHARE
    this.#stableMs = Math.min(
      Math.max(2 * ageMs, this.#publishTimeoutMs * least),
      this.#publishTimeoutMs * most,
    )
    if (!code || code.about === 'unsaid') this.#lostPackets = lost
    return { areOthersCleared: !lost.some(isSuspect) }
  }

  /** Makes all packets suspects, because the broker refused one of them. Sending each alone shows which. */
  #suspectAll(lost: readonly PublishPacket[]): Diagnosis {
    if (lost.length === 1) return { refusedPacket: lost[0] }
    for (const packet of lost) packet.losses = Math.max(packet.losses, MIN_SUSPECT_LOSSES)
    return {}
  }

  /**
   * Records a new connection. `atOnce` is true if the first attempt succeeded. If it failed, an outage
   * explains the end of the last connection. Returns the suspect that was in flight at the last end, and
   * whether it is the poison message.
   */
  recordConnection(atOnce: boolean): { suspect?: PublishPacket | undefined; isPoison?: boolean } {
    const lost = this.#lostPackets.filter(({ queued }) => !queued.settled)
    this.#lostPackets = []
    this.#beganAt = performance.now()
    this.#isStable = false
    this.#hasAccepted = false
    if (!atOnce) return {}
    const suspect = lost.find(isSuspect)
    for (const packet of lost) packet.losses++
    if (suspect?.wasSentAsSuspect) suspect.strikes++
    return { suspect, isPoison: suspect !== undefined && suspect.strikes >= MIN_POISON_STRIKES }
  }
}
