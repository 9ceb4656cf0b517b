import type { AlvariumError } from '../../../foundation/base/errors.js'
import { onAbort } from '../../../foundation/base/time/abort.js'
import { Notifier } from '../../../foundation/base/time/notifier.js'
import { mqttRejectedChannel } from '../channels.js'
import type { StreamStats } from '../stats.js'
import type { PublishOptions, StreamRoom } from '../stream.js'
import { Backpressure, type BackpressureOptions } from './backpressure.js'
import { InFlight, type PacketSender } from './in-flight.js'
import { NoSubscribersError, PacketsWithoutSubscribers } from './no-subscribers.js'
import type { MqttSettings } from './options.js'
import { PoisonDetector } from './poison.js'
import { type PublishPacket, QueuedMessage } from './queued-message.js'
import { connectionLostError, poisonError, refusedError, timeoutError } from './rejections.js'
import { createDeadlines, Schedule } from './schedule.js'

export type QueueOptions = BackpressureOptions & Pick<MqttSettings, 'topic' | 'qos' | 'publishTimeoutMs'>

const NO_BYTES = new Uint8Array(0)

/**
 * Queue that limits the number and bytes of messages, sends them through a bounded window while connected,
 * and settles every promise. mqtt.js does none of these:
 *
 * - It ignores Receive Maximum. A broker that allows 10 answers 5,000 publishes with DISCONNECT 0x93, and
 *   accepts none.
 * - It has unbounded queues, which reach 121 MB with a stalled broker.
 * - A QoS 0 publish of mqtt.js can stay pending forever.
 */
export class Queue {
  readonly #options: QueueOptions
  readonly #schedule: Schedule
  readonly #inFlight: InFlight
  readonly #poison: PoisonDetector
  readonly #withoutSubscribers: PacketsWithoutSubscribers
  readonly #backpressure: Backpressure
  readonly #deadlines: ReturnType<typeof createDeadlines>
  readonly #emptied = new Notifier()
  readonly #figures = { acknowledged: 0, timedOut: 0, refused: 0 }
  #isOnline = false
  #whyOffline: Error | undefined
  #whenStable: ReturnType<typeof setTimeout> | undefined

  constructor(options: QueueOptions) {
    const { publishTimeoutMs } = options
    this.#options = options
    this.#backpressure = new Backpressure(options, ({ packets }) => {
      for (const packet of packets) this.#schedule.add(packet)
    })
    this.#schedule = new Schedule(publishTimeoutMs)
    this.#poison = new PoisonDetector(publishTimeoutMs)
    this.#inFlight = new InFlight(this.#schedule, this.#poison, publishTimeoutMs, (packet, error) =>
      this.#handleAnswer(packet, error),
    )
    this.#withoutSubscribers = new PacketsWithoutSubscribers(this.#schedule, () => this.#inFlight.send())
    this.#deadlines = createDeadlines(this.#backpressure.messages, publishTimeoutMs, (queued) =>
      this.#expire(queued),
    )
  }

  /**
   * Resolves when the broker has accepted the message for every topic.
   *
   * @throws errors of `mqtt`, or the signal's reason
   */
  add(message: Uint8Array, options: PublishOptions = {}): Promise<void> {
    const { signal } = options
    if (signal?.aborted) return Promise.reject(signal.reason)
    const queued = new QueuedMessage(message, options, this.#options.topic)
    // Do not use `message` below, because the closures live as long as `queued`, and would keep the bytes in
    // memory.
    return new Promise((resolve, reject) => {
      // Listen first, because an invalid signal throws here, and every queued message must settle.
      const end = signal && onAbort(signal, () => this.#abandon(queued, signal.reason))
      queued.settle = (error?: unknown) => {
        // Ignore later outcomes, such as the refusal of a second topic, or an answer after the timeout.
        if (queued.settled) return
        this.#remove(queued)
        end?.()
        if (error === undefined) resolve()
        else reject(reportRejection(queued, error))
      }
      const full = this.#backpressure.enter(queued)
      if (full) {
        end?.()
        reject(reportRejection(queued, full))
        return
      }
      this.#deadlines.watch()
      this.#inFlight.send(queued.acceptedAt)
    })
  }

  get isEmpty(): boolean {
    return this.#backpressure.messages.size === 0
  }

  get inFlight(): Pick<InFlight, 'size' | 'usualMs'> {
    return this.#inFlight
  }

  /** Sends over a new connection. `atOnce` is true if the first attempt to reconnect succeeded. */
  attach(sink: PacketSender, atOnce = true): void {
    this.#isOnline = true
    const { suspect, isPoison } = this.#poison.recordConnection(atOnce)
    if (suspect && isPoison) this.#reject(suspect.queued, poisonError(suspect, this.#whyOffline))
    else if (suspect) this.#schedule.holdSuspect(suspect)
    this.#inFlight.attach(sink)
    if (!this.#schedule.hasSuspects) return
    this.#whenStable = setTimeout(() => {
      this.#poison.recordStability()
      this.#inFlight.send()
    }, this.#poison.stableMs)
  }

  /**
   * Handles a lost connection: queues unacknowledged messages again, or with QoS 0, rejects them. `isCut` is
   * true if we ended the connection.
   */
  detach(reason: Error, isCut = false): void {
    this.offline(reason)
    clearTimeout(this.#whenStable)
    const lost = this.#inFlight.detach()
    for (const packet of [...lost].reverse()) {
      if (this.#options.qos === 0) packet.queued.settle(connectionLostError(reason))
      else if (!packet.queued.settled) this.#schedule.putBack(packet)
    }
    this.#withoutSubscribers.retry()
    const { refusedPacket, areOthersCleared } = this.#poison.recordEnd(lost, reason, isCut)
    if (refusedPacket) this.#reject(refusedPacket.queued, refusedError(refusedPacket, reason))
    if (areOthersCleared) this.#schedule.releaseSuspects()
  }

  offline(reason: Error): void {
    this.#isOnline = false
    this.#whyOffline = reason
  }

  async drained(withinMs: number): Promise<void> {
    if (!this.isEmpty) await this.#emptied.within(withinMs)
  }

  clear(error: AlvariumError): void {
    this.#deadlines.stop()
    clearTimeout(this.#whenStable)
    this.#withoutSubscribers.stop()
    this.#backpressure.close(error)
    const { messages } = this.#backpressure
    for (let { first } = messages; first; first = messages.first) first.settle(error)
  }

  ready(): Promise<void> {
    return this.#backpressure.ready()
  }

  hasRoom(more: StreamRoom): true | Promise<void> {
    return this.#backpressure.hasRoom(more)
  }

  stats(): Omit<StreamStats, 'online' | 'reconnects'> {
    const { messages, count, bytes } = this.#backpressure
    const { size: queued, first: oldest } = messages
    const { inFlight, resent, acknowledge } = this.#inFlight.stats()
    return {
      queued,
      waitingForRoom: queued - count,
      bytes,
      oldestMs: oldest ? performance.now() - oldest.acceptedAt : 0,
      inFlight,
      ...this.#figures,
      resent,
      lastError: this.#whyOffline?.message,
      acknowledge,
    }
  }

  /** Packets in flight keep their places in the window: see `InFlight.dropIfStuck`. */
  #remove(queued: QueuedMessage): void {
    queued.settled = true
    queued.message = NO_BYTES
    for (const packet of queued.packets) this.#schedule.remove(packet)
    this.#backpressure.leave(queued)
    if (this.isEmpty) this.#emptied.notifyAll()
  }

  #handleAnswer(packet: PublishPacket, error: unknown): void {
    const { queued, topic } = packet
    if (error instanceof NoSubscribersError) this.#withoutSubscribers.wait(packet)
    else if (error !== undefined) this.#reject(queued, error)
    else {
      this.#withoutSubscribers.accepted(topic)
      if (--queued.unacknowledged > 0) return
      if (!queued.settled) this.#figures.acknowledged++
      queued.settle()
    }
  }

  #reject(queued: QueuedMessage, error: unknown): void {
    if (!queued.settled) this.#figures.refused++
    queued.settle(error)
  }

  #abandon(queued: QueuedMessage, reason: unknown): void {
    queued.settle(reason)
    this.#inFlight.send()
  }

  #expire(queued: QueuedMessage): void {
    this.#figures.timedOut++
    const hindrance = {
      isOnline: this.#isOnline,
      whyOffline: this.#whyOffline,
      topicWithoutSubscribers: this.#withoutSubscribers.topic,
    }
    this.#abandon(queued, timeoutError(this.#options.publishTimeoutMs, hindrance))
    this.#inFlight.dropIfStuck()
  }
}

function reportRejection<Reason>({ bytes }: QueuedMessage, error: Reason): Reason {
  if (mqttRejectedChannel.hasSubscribers) mqttRejectedChannel.publish({ bytes, error })
  return error
}
