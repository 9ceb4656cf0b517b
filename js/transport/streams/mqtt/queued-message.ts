import type { TraceContext } from '../../../foundation/model/trace-context.js'
import type { PublishOptions } from '../stream.js'
import { ChainMember } from './chain.js'

// Use classes, because V8 allocates object literals in the old generation after many of them have survived a
// collection. There, each literal keeps its references in memory until the next full collection.

/** Arguments and state of one `publish()` call. The queue's chain contains it until its promise settles. */
export class QueuedMessage extends ChainMember<QueuedMessage> {
  /** Bytes of the message, replaced by an empty array when the promise settles, to free their memory. */
  message: Uint8Array
  readonly bytes: number
  readonly contentType: string | undefined
  readonly traceContext: TraceContext | undefined
  /** Time of the `publish()` call, as of `performance.now()`. */
  readonly acceptedAt = performance.now()
  readonly packets: readonly PublishPacket[]
  /** Number of packets that the broker has not acknowledged. */
  unacknowledged: number
  /** True after the queue had room for the message, and admitted it. */
  isAdmitted = false
  settled = false
  /** Settles the promise. Later calls have no effect. */
  settle: (error?: unknown) => void = doNothing

  constructor(message: Uint8Array, { contentType, traceContext }: PublishOptions, topics: readonly string[]) {
    super()
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
 * Returns the bytes in a buffer of their own length, because mqtt.js clones the whole buffer under a view.
 * For a buffer of 16 MiB, that takes 13 ms per message.
 */
function exactBytes(message: Uint8Array): Uint8Array {
  return message.length === message.buffer.byteLength ? message : new Uint8Array(message)
}

/** PUBLISH packet of a message for one topic. It is in one chain while it waits, in another while in flight. */
export class PublishPacket extends ChainMember<PublishPacket> {
  readonly queued: QueuedMessage
  readonly topic: string
  /** Time at which the packet was last sent, as of `performance.now()`. Negative if it was never sent. */
  sentAt = -1
  /** True if no other packet was in flight when this packet was last sent. */
  isAlone = false
  /**
   * Number of connections that ended while this packet was in flight, without another known cause. Also set
   * to the minimum of a suspect if the broker refused this packet or another one in flight; see
   * `PoisonDetector`.
   */
  losses = 0
  /**
   * Number of connections, among those of `losses`, that ended at this packet alone after they had accepted
   * other messages; see `PoisonDetector`.
   */
  strikes = 0
  /** True if this suspect was last sent over a stable connection that had accepted other messages. */
  wasSentAsSuspect = false

  constructor(queued: QueuedMessage, topic: string) {
    super()
    this.queued = queued
    this.topic = topic
  }
}
