import type { Chained } from './chain.js'

/** What one `publish()` was given, until its promise settles. */
export interface Letter {
  /** Emptied when the promise settles, so that nothing keeps the bytes. */
  message: Uint8Array
  readonly bytes: number
  readonly acceptedAt: number
  /** One for each topic. */
  readonly parcels: Parcel[]
  /** Parcels that the broker has not acknowledged. */
  missing: number
  settled: boolean
  /** Settles the promise, once. */
  settle: (error?: unknown) => void
}

/** A letter on its way to one topic: what becomes one PUBLISH packet. */
export interface Parcel extends Chained<Parcel> {
  readonly letter: Letter
  readonly topic: string
}

export function parcelOf(letter: Letter, topic: string): Parcel {
  return { letter, topic, before: undefined, after: undefined, chained: false }
}
