import type { IClientPublishOptions } from 'mqtt'
import type { Logger } from '../../base/logger.js'
import type { HeardTopics } from '../heard.js'
import type { Link } from './link.js'
import type { MqttSettings } from './options.js'
import type { PublishPacket } from './queued-message.js'
import { UNHEARD } from './reasons.js'
import type { Schedule } from './schedule.js'

/** The broker has acknowledged a message that nobody subscribes to, and has forgotten it. */
export class Unheard extends Error {}

/** A packet that came, as far as it matters here. */
interface AnswerPacket {
  readonly cmd?: string | undefined
  readonly reasonCode?: number
  readonly messageId?: number
}

/** By PUBACK (QoS 1) or PUBREC (QoS 2): MQTT 5, 3.4.2.1 and 3.5.2.1. */
function isUnheard({ cmd, reasonCode }: AnswerPacket): boolean {
  return reasonCode === UNHEARD && (cmd === 'puback' || cmd === 'pubrec')
}

type SendPublish = (
  topic: string,
  message: Buffer,
  options: IClientPublishOptions,
  done: (error?: Error) => void,
) => void

/** Decides about messages that nobody subscribes to. */
export interface UnheardRule {
  readonly whenUnheard: MqttSettings['whenUnheard']
  /** Topics that someone has subscribed to, kept by an outbox. */
  readonly topics: HeardTopics | undefined
  readonly logger: Logger
}

/** Publishes over a client, and has {@link Unheard} for what nobody subscribes to, if that is to wait. Warns once of what nobody subscribes to. */
export function publishingOver({ client, version }: Link, rule: UnheardRule): SendPublish {
  // No other version says it.
  if (version !== 5) return (...message) => void client.publish(...message)
  const answers = new Answers(rule)
  // mqtt.js tells of it as of every success, after it has emitted the packet.
  const unheard = new Set<number | undefined>()
  client.on('packetreceive', (packet: AnswerPacket) => {
    if (isUnheard(packet)) unheard.add(packet.messageId)
  })
  return (topic, message, options, done) => {
    let id: number | undefined
    client.publish(topic, message, options, (error) => {
      if (unheard.delete(id)) done(error ?? answers.miss(topic))
      else {
        if (!error && options.qos) answers.confirm(topic)
        done(error)
      }
    })
    id = client.getLastMessageId()
  }
}

/** Takes the broker's word on topics, over one connection. */
class Answers {
  readonly #rule: UnheardRule
  #hasWarned = false

  constructor(rule: UnheardRule) {
    this.#rule = rule
  }

  confirm(topic: string): void {
    this.#rule.topics?.add(topic)
  }

  miss(topic: string): Unheard | undefined {
    const waits = this.#waits(topic)
    if (!this.#hasWarned) this.#rule.logger.warn({ topic }, waits ? WAIT_TEXT : DROP_TEXT)
    this.#hasWarned = true
    return waits ? new Unheard() : undefined
  }

  /** Returns whether messages for a topic wait. A topic that nobody has subscribed to yet may be for nobody. */
  #waits(topic: string): boolean {
    const { whenUnheard, topics } = this.#rule
    return whenUnheard === undefined ? topics?.has(topic) === true : whenUnheard === 'wait'
  }
}

const WAIT_TEXT =
  "mqtt: nobody subscribes to a topic; its messages wait until someone does (whenUnheard: 'accept' lets the broker drop them)"
const DROP_TEXT =
  "mqtt: the broker accepts messages that nobody subscribes to, and drops them; with whenUnheard: 'wait' they wait until someone does"

/** After how long it is asked again whether somebody subscribes. */
const AGAIN_MS = 250

/** What nobody subscribes to waits, and is tried again from time to time. */
export class UnheardPackets {
  readonly #schedule: Schedule
  readonly #send: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #topic: string | undefined

  constructor(schedule: Schedule, send: () => void) {
    this.#schedule = schedule
    this.#send = send
  }

  /** The topic that nobody subscribes to, by the broker's last word on it. */
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
    }, AGAIN_MS)
  }

  /** The broker has accepted something for a topic. */
  accepted(topic: string): void {
    if (this.#topic === topic) this.#topic = undefined
  }

  /** They are like the others from now on. */
  retry(): void {
    this.stop()
    this.#schedule.retry()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
