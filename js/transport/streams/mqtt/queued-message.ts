import type { TraceContext } from '../../../foundation/model/trace-context.js'
import type { PublishOptions } from '../stream.js'
import type { Chain, ChainMember, Slot } from './chain.js'

// Classes, not literals. Once many literals have outlived a collection, V8 allocates further ones among the old
// objects. There, each keeps everything that it refers to until the next full collection.

/** Arguments and state of one `publish()` until its promise settles. Member of a chain until then. */
export class QueuedMessage implements ChainMember<QueuedMessage> {
  /** The bytes. Emptied when the promise settles, so that nothing keeps them. */
  message: Uint8Array
  readonly bytes: number
  readonly contentType: string | undefined
  readonly traceContext: TraceContext | undefined
  /** Time of the call, as `performance.now()`. */
  readonly acceptedAt = performance.now()
  readonly packets: readonly PublishPacket[]
  /** Number of packets that the broker has not acknowledged. */
  unacknowledged: number
  settled = false
  /** Settles the promise, once. */
  settle: (error?: unknown) => void = doNothing
  before: QueuedMessage | undefined = undefined
  after: QueuedMessage | undefined = undefined
  chain: Chain<QueuedMessage> | undefined = undefined
  /** Slot in the chain of messages that wait for room. */
  waitingSlot: Slot<QueuedMessage> | undefined = undefined

  constructor(message: Uint8Array, { contentType, traceContext }: PublishOptions, topics: readonly string[]) {
    this.message = exactBytes(message)
    this.bytes = message.length
    this.contentType = contentType
    this.traceContext = traceContext
    this.packets = topics.map((topic) => new PublishPacket(this, topic))
    this.unacknowledged = topics.length
  }
}

function doNothing(): void {}

/**
 * Returns bytes with their own buffer, because mqtt.js clones the whole buffer under a view. For a view of 16 MiB of
 * memory, that takes 13 ms per message.
 */
function exactBytes(message: Uint8Array): Uint8Array {
  return message.length === message.buffer.byteLength ? message : new Uint8Array(message)
}

/**
 * A message for one topic, as a PUBLISH packet. Member of one chain while it waits, and of another while it is in
 * flight.
 */
export class PublishPacket implements ChainMember<PublishPacket> {
  readonly queued: QueuedMessage
  readonly topic: string
  /** Time at which it was last sent, as `performance.now()`; negative if never. */
  sentAt = -1
  /** True if nothing else was in flight when it was sent. */
  isAlone = false
  /** Number of connections that ended for no known reason while it was in flight. */
  losses = 0
  /** Number of those connections that point to it as the cause; see `PoisonDetector`. */
  strikes = 0
  /** True if its last connection was stable and had accepted others before. */
  isTried = false
  before: PublishPacket | undefined = undefined
  after: PublishPacket | undefined = undefined
  chain: Chain<PublishPacket> | undefined = undefined

  constructor(queued: QueuedMessage, topic: string) {
    this.queued = queued
    this.topic = topic
  }
}
