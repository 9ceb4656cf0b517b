import type { TraceContext } from '../../model/trace-context.js'
import type { PublishOptions } from '../stream.js'
import type { Chain, Chained, Slot } from './chain.js'

// Both are classes, not literals: V8 allocates literals of which many have outlived a collection among the old objects from
// then on, where each keeps all that it refers to until the next full collection.

/** What one `publish()` was given, until its promise settles; in a chain until then. */
export class QueuedMessage implements Chained<QueuedMessage> {
  /** Emptied when the promise settles, so that nothing keeps the bytes. */
  message: Uint8Array
  readonly bytes: number
  /** The media type of the message. */
  readonly contentType: string | undefined
  readonly traceContext: TraceContext | undefined
  /** When it was published, as `performance.now()` has it. */
  readonly acceptedAt = performance.now()
  /** One for each topic. */
  readonly packets: readonly PublishPacket[]
  /** Packets that the broker has not acknowledged. */
  missing: number
  settled = false
  /** Settles the promise, once. */
  settle: (error?: unknown) => void = nothing
  before: QueuedMessage | undefined = undefined
  after: QueuedMessage | undefined = undefined
  chain: Chain<QueuedMessage> | undefined = undefined
  /** Its slot in the chain of those that wait for room. */
  outside: Slot<QueuedMessage> | undefined = undefined

  constructor(message: Uint8Array, { contentType, traceContext }: PublishOptions, topics: readonly string[]) {
    this.message = exactBytes(message)
    this.bytes = message.length
    this.contentType = contentType
    this.traceContext = traceContext
    this.packets = topics.map((topic) => new PublishPacket(this, topic))
    this.missing = topics.length
  }
}

function nothing(): void {}

/** mqtt.js clones the whole buffer under a view: 13 ms per message for a view of 16 MiB of memory. */
function exactBytes(message: Uint8Array): Uint8Array {
  return message.length === message.buffer.byteLength ? message : new Uint8Array(message)
}

/** A message for one topic, as a PUBLISH packet. In a chain while it waits, and in another while it is in flight. */
export class PublishPacket implements Chained<PublishPacket> {
  readonly queued: QueuedMessage
  readonly topic: string
  /** When it was last sent, as `performance.now()` has it; negative before. */
  sentAt = -1
  /** Whether nothing else was in flight when it was sent. */
  isAlone = false
  /** How many connections have ended while it was in flight, for no known reason. */
  losses = 0
  /** How many of them say that it was the cause; see `PoisonDetector`. */
  strikes = 0
  /** Whether it was last sent over a connection on which others had been accepted, and which had lasted. */
  isTried = false
  before: PublishPacket | undefined = undefined
  after: PublishPacket | undefined = undefined
  chain: Chain<PublishPacket> | undefined = undefined

  constructor(queued: QueuedMessage, topic: string) {
    this.queued = queued
    this.topic = topic
  }
}
