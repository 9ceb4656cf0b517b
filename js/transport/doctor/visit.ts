import type { IConnackPacket, IDisconnectPacket, MqttClient } from 'mqtt'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { pause } from '../../foundation/base/time/backoff.js'
import { ignoreRejection } from '../../foundation/base/time/promises.js'
import { dial } from '../streams/mqtt/dial.js'
import { type MessageHandler, ProbeClient, type Qos } from './client.js'
import type { CheckSettings } from './options.js'

const CLEAN_UP_MS = 5_000
/** Maximum time in milliseconds to wait for an answer, even if `connectTimeoutMs` is longer. */
const MAX_ANSWER_MS = 10_000

const RETRY_MS = 250

interface ClientOptions {
  readonly keepsSession?: boolean
  /** Handler of received messages. Without a handler, the client acknowledges messages and drops them. */
  readonly take?: MessageHandler
  readonly onDisconnect?: (packet: IDisconnectPacket) => void
}

/**
 * Connections and names that one check uses at a broker. The names are unique to the check. `cleanUp` removes
 * the sessions and retained messages from the broker.
 */
export class CheckSession {
  readonly settings: CheckSettings
  readonly #signal: AbortSignal
  readonly #name = toHex(crypto.getRandomValues(new Uint8Array(6)))
  readonly #clients = new Set<ProbeClient>()
  /** Ids of clients that may have a session at the broker. */
  readonly #sessionIds = new Set<string>()
  readonly #retainedTopics = new Set<string>()
  /**
   * QoS of published messages: the requested QoS, or the highest that the broker accepts, if that is lower.
   */
  qos: Qos
  /** True if the broker ended an MQTT 5 connection without sending a CONNACK. */
  endedWithoutConnack = false

  constructor(settings: CheckSettings, signal: AbortSignal) {
    this.settings = settings
    this.#signal = signal
    this.qos = settings.qos
  }

  topic(name: string): string {
    return `alvarium-doctor/${this.#name}/${name}`
  }

  get group(): string {
    return `alvarium-doctor-${this.#name}`
  }

  reportProgress(step: string, done: number, of: number): void {
    try {
      ignoreRejection(this.settings.onProgress?.({ step, done, of }))
    } catch {
      // Ignore errors of the callback, because an observer must not end the check.
    }
  }

  async connect(role: string, options: ClientOptions = {}): Promise<ProbeClient> {
    const clientId = this.#clientId(role)
    const isNew = options.keepsSession === true && !this.#sessionIds.has(clientId)
    // Add the id before connecting, because a check that ends meanwhile may leave a session at the broker.
    if (isNew) this.#sessionIds.add(clientId)
    const client = await this.#dial(clientId, this.#signal, options).catch((error) => {
      if (isNew && !this.#signal.aborted) this.#sessionIds.delete(clientId)
      throw error
    })
    this.#clients.add(client)
    return client
  }

  /**
   * Connects to a broker that is being restarted. Retries until the connection succeeds.
   *
   * @throws the abort reason of the check
   */
  async reconnect(role: string, options: ClientOptions = {}): Promise<ProbeClient> {
    for (;;) {
      try {
        return await this.connect(role, options)
      } catch (error) {
        if (this.#signal.aborted) throw error
      }
      await pause(RETRY_MS, this.#signal)
    }
  }

  /** Publishes a retained message, which `cleanUp` removes. */
  async retain(client: ProbeClient, topic: string, payload: Uint8Array): Promise<void> {
    this.#retainedTopics.add(topic)
    await client.publish(topic, payload, this.qos, true)
  }

  /** Ends all connections, and removes sessions and retained messages from the broker. Never throws. */
  async cleanUp(): Promise<void> {
    for (const client of this.#clients) client.cut()
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Error('cleaning up took too long')), CLEAN_UP_MS)
    try {
      const ended = [...this.#sessionIds].map(async (clientId) => {
        // Connect with Clean Start, which removes an existing session (MQTT 5, 3.1.2.4).
        const client = await this.#dial(clientId, late.signal)
        await client.end()
      })
      await Promise.allSettled([...ended, this.#removeRetained(late.signal)])
    } finally {
      clearTimeout(timer)
    }
  }

  async #removeRetained(signal: AbortSignal): Promise<void> {
    if (this.#retainedTopics.size === 0) return
    const client = await this.#dial(this.#clientId('cleaner'), signal)
    // Publish an empty retained message, which removes the existing message (MQTT 5, 3.3.1.3).
    for (const topic of this.#retainedTopics) await client.publish(topic, new Uint8Array(0), this.qos, true)
    await client.end()
  }

  #clientId(role: string): string {
    return `alvarium-doctor-${this.#name}-${role}`
  }

  async #dial(clientId: string, signal: AbortSignal, options: ClientOptions = {}): Promise<ProbeClient> {
    const { keepsSession = false, take = () => true, onDisconnect } = options
    const { settings } = this
    const seen: { connack: IConnackPacket | undefined }[] = []
    const prepare = (client: MqttClient) => {
      const attempt: (typeof seen)[number] = { connack: undefined }
      seen.push(attempt)
      client.on('packetreceive', (packet) => {
        if (packet.cmd === 'connack') attempt.connack = packet
      })
      client.handleMessage = ({ topic, payload, retain }, acknowledge) => {
        if (take(topic, payload as Uint8Array, retain)) acknowledge()
      }
      if (onDisconnect) client.on('disconnect', onDisconnect)
    }
    const { connectTimeoutMs } = settings
    const link = await dial({ ...settings, clientId, clean: !keepsSession }, { signal, prepare })
    if (link.version === 4 && seen.length > 1 && !seen[0]?.connack) this.endedWithoutConnack = true
    const connack = seen.at(-1)?.connack as IConnackPacket
    return new ProbeClient(link, connack, Math.min(connectTimeoutMs, MAX_ANSWER_MS), signal)
  }
}
