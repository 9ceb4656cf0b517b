import type { Chained } from './chain.js'

/** What one `publish()` was given, until its promise settles; in a chain while it waits for room. */
export interface Letter extends Chained<Letter> {
  /** Emptied when the promise settles, so that nothing keeps the bytes. */
  message: Uint8Array
  readonly bytes: number
  /** The media type of the message. */
  readonly contentType: string | undefined
  /** When it was published, as `performance.now()` has it. */
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
  /** When it was last sent, as `performance.now()` has it; negative before. */
  sentAt: number
  /** Whether nothing else was on its way when it was sent. */
  alone: boolean
  /** How many connections the broker has ended while it was on its way. */
  losses: number
}

export function parcelOf(letter: Letter, topic: string): Parcel {
  const place = { before: undefined, after: undefined, chain: undefined }
  return { letter, topic, sentAt: -1, alone: false, losses: 0, ...place }
}
