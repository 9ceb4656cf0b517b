import type { Parcel } from './letter.js'

/** What was on its way each time when the broker ended so many connections may be why: it then goes alone. */
const SUSPECT = 2

/** Whether a parcel goes alone, so that a connection that ends meanwhile says which one it was. */
export function isSuspect({ losses }: Parcel): boolean {
  return losses >= SUSPECT
}

/**
 * Finds the parcel that a broker refuses by ending the connection, as those of MQTT 3.1.1 have no other way: sent again
 * after each reconnect, it would take all others with it, for ever.
 */
export class Suspects {
  #lost: readonly Parcel[] = []

  /** The broker has ended a connection on which these were on their way. */
  lost(parcels: readonly Parcel[]): void {
    this.#lost = parcels
  }

  /**
   * The connection is back: the parcel that it was lost for, if one is found guilty.
   *
   * @param atOnce - with the first attempt; a broker that was away was lost for another reason
   */
  back(atOnce: boolean): Parcel | undefined {
    const lost = this.#lost
    this.#lost = []
    if (!atOnce) return undefined
    const guilty = lost.length === 1 ? lost.find(isSuspect) : undefined
    for (const parcel of lost) parcel.losses++
    return guilty
  }
}
