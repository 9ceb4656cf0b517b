import type { Parcel } from './letter.js'
import { ReasonError, refuses } from './reasons.js'

/** What was on its way each time when so many connections ended may be why: it then goes alone. */
const SUSPECT = 2
/** Lost alone so often, while others were accepted, it is why. */
const GUILTY = 3
/** How long a connection has to last before a suspect is tried on it, as a part of a message's time: at least, at most. */
const CALM = { least: 1 / 60, most: 1 / 6 }

/** Whether a parcel goes alone, so that a connection that ends meanwhile says which one it was. */
export function isSuspect({ losses }: Parcel): boolean {
  return losses >= SUSPECT
}

/** How a connection ended. */
export interface End {
  /** What was on its way. */
  readonly lost: readonly Parcel[]
  readonly reason: Error
  /** Whether we have cut it ourselves. */
  readonly isCut: boolean
}

/** What the end of a connection says about what was on its way. */
export interface Finding {
  /** The broker's own word was about this one. */
  readonly named?: Parcel | undefined
  /** Those that were lost alone before have nothing to do with it. */
  readonly areOthersAcquitted?: boolean
}

/**
 * Finds the parcel that a broker refuses by ending the connection, as those of MQTT 3.1.1 have no other way: sent again
 * after each reconnect, it would take all others with it, for ever.
 *
 * Connections end for many reasons that are no message's fault: a cluster without a majority ends them at every PUBLISH, another client
 * with the same `clientId` whenever it comes back. So one that was lost alone waits until the connection has lasted for
 * longer than the one before and others were accepted on it. Only if it is lost then, three times, is it found guilty. A connection
 * that ends without it begins the count anew.
 */
export class Suspects {
  readonly #publishTimeoutMs: number
  /** What was on its way when the last connection ended for no known reason. */
  #lost: readonly Parcel[] = []
  #beganAt = 0
  #calmMs: number
  #isCalm = false
  #hasAccepted = false

  /** @param publishTimeoutMs - how long a message has */
  constructor(publishTimeoutMs: number) {
    this.#publishTimeoutMs = publishTimeoutMs
    this.#calmMs = publishTimeoutMs * CALM.least
  }

  /** For how many milliseconds a new connection has to last before those are tried on it that were lost alone. */
  get calmMs(): number {
    return this.#calmMs
  }

  /** A message was accepted over this connection. */
  accepted(): void {
    this.#hasAccepted = true
  }

  /** This connection has lasted for that long. */
  calm(): void {
    this.#isCalm = true
  }

  /** When those go that were lost alone: before others, once others were accepted; never before it is calm. */
  get turn(): 'first' | 'last' | 'later' {
    if (!this.#isCalm) return 'later'
    return this.#hasAccepted ? 'first' : 'last'
  }

  /** A connection has ended. */
  ended({ lost, reason, isCut }: End): Finding {
    this.#lost = []
    if (isCut) return {}
    const word = reason instanceof ReasonError ? reason.reason : undefined
    if (word && refuses(word, 'message')) return this.#named(lost)
    const ageMs = performance.now() - this.#beganAt
    const { least, most } = CALM
    this.#calmMs = Math.min(
      Math.max(2 * ageMs, this.#publishTimeoutMs * least),
      this.#publishTimeoutMs * most,
    )
    if (!word || word.about === 'unsaid') this.#lost = lost.filter(({ letter }) => !letter.settled)
    return { areOthersAcquitted: !lost.some(isSuspect) }
  }

  /** The broker means one of these; which one, it says when they go alone. */
  #named(lost: readonly Parcel[]): Finding {
    if (lost.length === 1) return { named: lost[0] }
    for (const parcel of lost) parcel.losses = Math.max(parcel.losses, SUSPECT)
    return {}
  }

  /**
   * The connection is back.
   *
   * @param atOnce - with the first attempt; a broker that was away was lost for another reason
   * @returns the one that was lost alone, if it was one, and whether it is found guilty
   */
  back(atOnce: boolean): { alone?: Parcel | undefined; isGuilty?: boolean } {
    const lost = this.#lost
    this.#lost = []
    this.#beganAt = performance.now()
    this.#isCalm = false
    this.#hasAccepted = false
    if (!atOnce) return {}
    const alone = lost.find(isSuspect)
    for (const parcel of lost) parcel.losses++
    if (alone?.isTried) alone.strikes++
    return { alone, isGuilty: alone !== undefined && alone.strikes >= GUILTY }
  }
}
