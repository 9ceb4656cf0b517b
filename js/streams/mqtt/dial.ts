import type { IClientOptions, MqttClient, Packet } from 'mqtt'
import { loadTransport } from '#platform'
import { AlvariumError, codeOf } from '../../base/errors.js'
import { missing } from '../../base/missing.js'
import { LONGEST_TIMEOUT, shownUrl } from '../../base/options/schema.js'
import { onAbort } from '../../base/time/abort.js'
import { boundPackets, LONGEST_FRAME, LONGEST_PACKET } from './bounds.js'
import { FOR_EVER } from './grants.js'
import { abandon, Link, reasonOf } from './link.js'
import type { ConnectionSettings } from './options.js'
import { OTHER_VERSIONS, ReasonError, reasonBy, shownReason } from './reasons.js'

type Version = 4 | 5

/** How to reach one broker. */
export type DialSettings = Omit<ConnectionSettings, 'url'> & { readonly url: string }

/** What one attempt to reach the broker is made of. */
export interface DialOptions {
  /** Ends the attempt; the rejection is the signal's reason. */
  readonly signal: AbortSignal
  /** Sees the client before its first packet arrives. */
  readonly prepare?: ((client: MqttClient) => void) | undefined
  /** The broker says that it does not know MQTT 5. */
  readonly refused5?: (() => void) | undefined
}

/** The connection came about, and ended without a CONNACK or an error. */
class Unanswered extends Error {}

/**
 * Connects once, within `connectTimeoutMs`.
 *
 * @throws AlvariumError `STREAM_UNREACHABLE`, `CONFIG_INVALID` if mqtt.js is not installed; the signal's reason
 */
export async function dial(settings: DialSettings, options: DialOptions): Promise<Link> {
  const { connectTimeoutMs } = settings
  const tooLate = new AbortController()
  const late = new Error(`no answer within ${connectTimeoutMs} ms`)
  const timer = setTimeout(() => tooLate.abort(late), connectTimeoutMs)
  // Node 20 keeps a trace of each `AbortSignal.any` for as long as its sources live: here, of each attempt to come back.
  const end = onAbort(options.signal, () => tooLate.abort(options.signal.reason))
  try {
    options.signal.throwIfAborted()
    return await dialAnyVersion(settings, { ...options, signal: tooLate.signal })
  } catch (error) {
    options.signal.throwIfAborted()
    throw error instanceof AlvariumError ? error : unreachable(settings.url, error)
  } finally {
    clearTimeout(timer)
    end()
  }
}

function unreachable(url: string, cause: unknown): AlvariumError {
  const text = `url: expected a broker at ${shownUrl(url)} that accepts the connection, got: ${reasonOf(cause)}`
  return new AlvariumError('STREAM_UNREACHABLE', text, { cause })
}

/**
 * Brokers of 3.1.1 alone refuse MQTT 5 in CONNACK (aedes), or hang up as they cannot parse it (RabbitMQ 3.10). Who hangs up may also be a
 * load balancer whose broker only starts: 5 is tried once more.
 */
async function dialAnyVersion(settings: DialSettings, options: DialOptions, isAgain = false): Promise<Link> {
  if (settings.protocolVersion) return dialOnce(settings, settings.protocolVersion, options)
  try {
    return await dialOnce(settings, 5, options)
  } catch (error) {
    const hasHungUp = isHangUp(error)
    if (hasHungUp && !isAgain) return dialAnyVersion(settings, options, true)
    if (!hasHungUp && !isRefusal(error)) throw error
    if (!hasHungUp) options.refused5?.()
    return dialOnce(settings, 4, options)
  }
}

/** Of MQTT 5. */
function isRefusal(error: unknown): boolean {
  return error instanceof ReasonError && OTHER_VERSIONS.includes(error.reason.code)
}

/** ECONNRESET is what TCP says when CONNECT is left unread. */
function isHangUp(error: unknown): boolean {
  return error instanceof Unanswered || codeOf(error) === 'ECONNRESET'
}

async function dialOnce(settings: DialSettings, version: Version, options: DialOptions): Promise<Link> {
  const transport = await loadTransport(missing)
  const clientOptions = clientOptionsOf(settings, version, transport.settings)
  options.signal.throwIfAborted()
  const client = transport.mqtt.connect(settings.url, clientOptions)
  boundPackets(client)
  keepNothing(client)
  if (!sendAtOnce(client)) transport.joinFrames?.(client.stream)
  options.prepare?.(client)
  return connack(client, options.signal)
}

/**
 * mqtt.js keeps what is unacknowledged for its own way back, which is not used: the queue has it, and sends it again. A
 * message that mqtt.js holds until the acknowledgement has grown old for the garbage collector, which then moves it first.
 */
function keepNothing({ outgoingStore: store }: MqttClient): void {
  const done = (_packet: unknown, then: () => void) => {
    then()
    return store
  }
  store.put = done
  store.del = done
}

/**
 * Nagle's algorithm holds small packets back until the last one is acknowledged: 848 instead of 58,900 messages/s. mqtt.js leaves it on for
 * TCP and TLS; `ws` turns it off itself, and browsers have no such thing.
 *
 * @returns whether the stream is one of TCP or TLS
 */
function sendAtOnce({ stream }: MqttClient): boolean {
  if (!('setNoDelay' in stream) || typeof stream.setNoDelay !== 'function') return false
  stream.setNoDelay(true)
  return true
}

/** Waits for the broker's CONNACK. */
function connack(client: MqttClient, signal: AbortSignal): Promise<Link> {
  return new Promise((resolve, reject) => {
    let reason: unknown
    const record = (error: unknown) => {
      reason ??= error
    }
    const refused = (packet: Packet) => record(refusalIn(packet))
    const fail = (error: unknown) => {
      signal.removeEventListener('abort', abort)
      abandon(client)
      reject(error)
    }
    const abort = () => fail(signal.reason)
    const close = () => fail(reason ?? new Unanswered('the broker closed the connection without an answer'))
    // Nothing comes behind it, and not always the end of the connection.
    const hear = (error: Error) => fail(reason ?? asHeard(error))
    signal.addEventListener('abort', abort, { once: true })
    client.once('packetreceive', refused)
    client.on('error', hear)
    // mqtt.js keeps errors without a code (a WebSocket answered with 404) to itself.
    client.stream.on('error', record)
    client.once('close', close)
    client.once('connect', (packet) => {
      signal.removeEventListener('abort', abort)
      client.off('close', close).off('error', hear)
      resolve(new Link(client, packet))
    })
  })
}

/** mqtt.js reports a refusal by an error with a text of its own. */
function refusalIn(packet: Packet): ReasonError | undefined {
  if (packet.cmd !== 'connack') return undefined
  const reason = reasonBy(packet.reasonCode ?? packet.returnCode ?? 0)
  return reason.code > 0 ? new ReasonError(reason, shownReason(reason)) : undefined
}

/** Errors of the transport and refusals have a code; what cannot be read has none. */
function asHeard(error: Error): Error {
  if (codeOf(error) !== undefined) return error
  return new Error(`something that is not MQTT (${error.message})`, { cause: error })
}

function clientOptionsOf(
  settings: DialSettings,
  protocolVersion: Version,
  platform: IClientOptions,
): IClientOptions {
  const { clientId, username, password, keepAliveSeconds, clean = true, tls } = settings
  // A session of MQTT 5 ends with its connection unless told otherwise, one of 3.1.1 never does. No Receive Maximum:
  // Mosquitto 2.0.11 exceeds it when it resumes a session, upon which mqtt.js disconnects, again and again.
  const properties = { sessionExpiryInterval: clean ? 0 : FOR_EVER, maximumPacketSize: LONGEST_PACKET }
  return {
    ...platform,
    ...(tls as IClientOptions),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(protocolVersion === 5 ? { properties } : {}),
    clientId,
    clean,
    protocolVersion,
    keepalive: keepAliveSeconds,
    wsOptions: { ...platform.wsOptions, maxPayload: LONGEST_FRAME },
    reconnectPeriod: 0,
    resubscribe: false,
    // Ours, which covers the attempts with both versions, comes first.
    connectTimeout: Math.min(settings.connectTimeoutMs + 1_000, LONGEST_TIMEOUT),
    // mqtt.js puts the URL together again without the brackets of an IPv6 address.
    transformWsUrl: () => settings.url,
    // mqtt.js' debug log prints the CONNECT packet with its password.
    log: () => {},
  }
}
