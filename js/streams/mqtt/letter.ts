import type { Chain, Chained, Place } from './chain.js'

// Both are classes, not literals: V8 allocates literals of which many have outlived a collection among the old objects from
// then on, where each keeps all that it refers to until the next full collection.

/** What one `publish()` was given, until its promise settles; in a chain until then. */
export class Letter implements Chained<Letter> {
  /** Emptied when the promise settles, so that nothing keeps the bytes. */
  message: Uint8Array
  readonly bytes: number
  /** The media type of the message. */
  readonly contentType: string | undefined
  /** When it was published, as `performance.now()` has it. */
  readonly acceptedAt = performance.now()
  /** One for each topic. */
  readonly parcels: readonly Parcel[]
  /** Parcels that the broker has not acknowledged. */
  missing: number
  settled = false
  /** Settles the promise, once. */
  settle: (error?: unknown) => void = nothing
  before: Letter | undefined = undefined
  after: Letter | undefined = undefined
  chain: Chain<Letter> | undefined = undefined
  /** By what it waits for room. */
  outside: Place<Letter> | undefined = undefined

  constructor(message: Uint8Array, contentType: string | undefined, topics: readonly string[]) {
    this.message = message
    this.bytes = message.length
    this.contentType = contentType
    this.parcels = topics.map((topic) => new Parcel(this, topic))
    this.missing = topics.length
  }
}

function nothing(): void {}

/** A letter on its way to one topic: what becomes one PUBLISH packet. In a chain while it waits, and in another while it flies. */
export class Parcel implements Chained<Parcel> {
  readonly letter: Letter
  readonly topic: string
  /** When it was last sent, as `performance.now()` has it; negative before. */
  sentAt = -1
  /** Whether nothing else was on its way when it was sent. */
  alone = false
  /** How many connections have ended while it was on its way, for no known reason. */
  losses = 0
  /** How many of them say that it was why; see `Suspects`. */
  strikes = 0
  /** Whether it was last sent over a connection on which others had been accepted, and which had lasted. */
  isTried = false
  before: Parcel | undefined = undefined
  after: Parcel | undefined = undefined
  chain: Chain<Parcel> | undefined = undefined

  constructor(letter: Letter, topic: string) {
    this.letter = letter
    this.topic = topic
  }
}
