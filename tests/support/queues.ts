// @internal: a broker shows only by chance in which order the queue sends
import { afterEach, beforeEach, vi } from 'vitest'
import type { AnswerCallback, PacketSender } from '../../dist/transport/streams/mqtt/in-flight.js'
import { Queue, type QueueOptions } from '../../dist/transport/streams/mqtt/queue.js'
import type { QueuedMessage } from '../../dist/transport/streams/mqtt/queued-message.js'
import { textOf } from './bytes.js'

export type { AnswerCallback, PacketSender }

export const queueOptions: QueueOptions = {
  topic: ['t'],
  qos: 1,
  publishTimeoutMs: 1_000,
  whenFull: 'reject',
  maxQueuedMessages: 10,
  maxQueuedBytes: 1_000,
}

export const queueWith = (more: Partial<QueueOptions> = {}) => new Queue({ ...queueOptions, ...more })

/** A connection whose broker answers on the test's request. */
export class Connection implements PacketSender {
  readonly window: number
  readonly sent: string[] = []
  readonly messages: QueuedMessage[] = []
  readonly answers: ((error?: unknown) => void)[] = []
  readonly drop = vi.fn((_reason: Error) => {})

  constructor(window: number) {
    this.window = window
  }

  send(_topic: string, queued: QueuedMessage, done: (error?: unknown) => void): void {
    this.sent.push(textOf(queued.message))
    this.messages.push(queued)
    this.answers.push(done)
  }
}

/** Returns a connection whose broker accepts every message at once, as with QoS 0. */
export const eager = (window = 1): PacketSender => ({
  window,
  send: (_topic, _letter, done) => done(),
  drop: () => {},
})

export const lost = new Error('lost')

/** Stops the clock for the tests of the block, for timers and for measured times. */
export function withStoppedClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
}
