import type { IClientPublishOptions } from 'mqtt'
import type { Logger } from '../../../foundation/base/logger.js'
import type { SubscribedTopics } from '../subscribed-topics.js'
import type { Link } from './link.js'
import type { MqttSettings } from './options.js'
import type { PublishPacket } from './queued-message.js'
import { NO_MATCHING_SUBSCRIBERS } from './reasons.js'
import type { Schedule } from './schedule.js'

/** Error of a message that the broker acknowledged and dropped, because its topic has no subscriber. */
export class NoSubscribersError extends Error {}

interface AnswerPacket {
  readonly cmd?: string | undefined
  readonly reasonCode?: number
  readonly messageId?: number
}

/** Returns whether PUBACK (QoS 1) or PUBREC (QoS 2) reports no subscribers (MQTT 5, 3.4.2.1 and 3.5.2.1). */
function hasNoSubscribers({ cmd, reasonCode }: AnswerPacket): boolean {
  return reasonCode === NO_MATCHING_SUBSCRIBERS && (cmd === 'puback' || cmd === 'pubrec')
}

type SendPublish = (
  topic: string,
  message: Buffer,
  options: IClientPublishOptions,
  done: (error?: Error) => void,
) => void

export interface SubscriberRule {
  readonly noSubscribers: MqttSettings['noSubscribers']
  /** Topics that have had a subscriber, stored by an outbox. */
  readonly topics: SubscribedTopics | undefined
  readonly logger: Logger
}

/**
 * Returns a function that publishes over a link. That function calls back with {@link NoSubscribersError} for
 * a message that has no subscribers and must wait, and logs one warning about missing subscribers.
 */
export function publishFunction({ client, version }: Link, rule: SubscriberRule): SendPublish {
  // Brokers of MQTT 3.1.1 do not report topics without subscribers.
  if (version !== 5) return (...message) => void client.publish(...message)
  let hasWarned = false
  const recordMissing = (topic: string): NoSubscribersError | undefined => {
    const isWaiting = waits(topic, rule)
    if (!hasWarned) rule.logger.warn({ topic }, isWaiting ? WAIT_TEXT : DROP_TEXT)
    hasWarned = true
    return isWaiting ? new NoSubscribersError() : undefined
  }
  // Ids of packets without subscribers: mqtt.js reports success to their callbacks.
  const rejected = new Set<number | undefined>()
  client.on('packetreceive', (packet: AnswerPacket) => {
    if (hasNoSubscribers(packet)) rejected.add(packet.messageId)
  })
  return (topic, message, options, done) => {
    let id: number | undefined
    client.publish(topic, message, options, (error) => {
      if (rejected.delete(id)) done(error ?? recordMissing(topic))
      else {
        if (!error && options.qos) rule.topics?.add(topic)
        done(error)
      }
    })
    id = client.getLastMessageId()
  }
}

/** Returns whether messages wait for a subscriber. By default, they wait if the topic has had a subscriber. */
function waits(topic: string, { noSubscribers, topics }: SubscriberRule): boolean {
  return noSubscribers === undefined ? topics?.has(topic) === true : noSubscribers === 'wait'
}

const WAIT_TEXT =
  "mqtt: nobody subscribes to a topic; its messages wait until someone does (noSubscribers: 'accept' lets the broker drop them)"
const DROP_TEXT =
  "mqtt: the broker accepts messages that nobody subscribes to, and drops them; with noSubscribers: 'wait' they wait until someone does"

const RETRY_MS = 250

/** Packets that wait for a subscriber, and are sent again at intervals. */
export class PacketsWithoutSubscribers {
  readonly #schedule: Schedule
  readonly #send: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #topic: string | undefined

  constructor(schedule: Schedule, send: () => void) {
    this.#schedule = schedule
    this.#send = send
  }

  /** Topic that had no subscribers according to the broker's last answer, if any. */
  get topic(): string | undefined {
    return this.#topic
  }

  wait(packet: PublishPacket): void {
    this.#topic = packet.topic
    if (packet.queued.settled) return
    this.#schedule.wait(packet)
    this.#timer ??= setTimeout(() => {
      this.retry()
      this.#send()
    }, RETRY_MS)
  }

  accepted(topic: string): void {
    if (this.#topic === topic) this.#topic = undefined
  }

  retry(): void {
    this.stop()
    this.#schedule.retry()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
