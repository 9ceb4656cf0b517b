import type { IClientPublishOptions, MqttClient } from 'mqtt'
import type { Logger } from '../../base/logger.js'
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

/** Publishes over a client, and has {@link Unheard} for what nobody subscribes to, if that is to wait. */
export function publishingOver(
  client: MqttClient,
  { whenUnheard }: Pick<MqttSettings, 'whenUnheard'>,
): SendPublish {
  if (whenUnheard === 'accept') return (...message) => void client.publish(...message)
  // mqtt.js tells of it as of every success, after it has emitted the packet.
  const unheard = new Set<number | undefined>()
  client.on('packetreceive', (packet: AnswerPacket) => {
    if (isUnheard(packet)) unheard.add(packet.messageId)
  })
  return (topic, message, options, done) => {
    let id: number | undefined
    client.publish(topic, message, options, (error) => {
      done(error ?? (unheard.delete(id) ? new Unheard() : undefined))
    })
    id = client.getLastMessageId()
  }
}

/** Warns, once for each connection, that nobody subscribes to what the broker accepts. */
export function warnOfUnheard(client: MqttClient, topics: readonly string[], logger: Logger): void {
  const listen = (packet: AnswerPacket) => {
    if (!isUnheard(packet)) return
    client.off('packetreceive', listen)
    logger.warn({ topics }, 'mqtt: the broker accepts messages that nobody subscribes to')
  }
  client.on('packetreceive', listen)
}

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
