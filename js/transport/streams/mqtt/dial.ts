import type { IClientOptions, MqttClient, Packet } from 'mqtt'
import { loadTransport } from '#platform'
import { AlvariumError, codeOf } from '../../../foundation/base/errors.js'
import { missing } from '../../../foundation/base/missing.js'
import { MAX_TIMEOUT_MS, shownUrl } from '../../../foundation/base/options/schema.js'
import { onAbort } from '../../../foundation/base/time/abort.js'
import { enforceMaxPacketSize, MAX_FRAME_BYTES, MAX_PACKET_BYTES } from './bounds.js'
import { NEVER_EXPIRES } from './grants.js'
import { destroyClient, Link, reasonOf } from './link.js'
import type { ConnectionSettings } from './options.js'
import { describeReason, ReasonError, reasonBy, UNSUPPORTED_VERSION } from './reasons.js'

type Version = 4 | 5

export type DialSettings = Omit<ConnectionSettings, 'url'> & { readonly url: string }

export interface DialOptions {
  readonly signal: AbortSignal
  /** Prepares the client before its first packet arrives. */
  readonly prepare?: ((client: MqttClient) => void) | undefined
  readonly onMqtt5Refused?: (() => void) | undefined
}

/** Error of a connection that the broker closed without a CONNACK, and without another error. */
class NoAnswerError extends Error {}

/**
 * Connects to one broker within `connectTimeoutMs`.
 *
 * @throws AlvariumError `STREAM_UNREACHABLE`; `CONFIG_INVALID` if mqtt.js is not installed; the signal's
 * reason
 */
export async function dial(settings: DialSettings, options: DialOptions): Promise<Link> {
  const { connectTimeoutMs } = settings
  const tooLate = new AbortController()
  const late = new Error(`no answer within ${connectTimeoutMs} ms`)
  const timer = setTimeout(() => tooLate.abort(late), connectTimeoutMs)
  // Avoid `AbortSignal.any`, which leaks memory in Node 20 while its source signals live.
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
 * Connects with MQTT 5, or else with 3.1.1. Brokers that only support 3.1.1 refuse MQTT 5 in CONNACK (aedes),
 * or disconnect because they cannot parse it (RabbitMQ 3.10). A load balancer also disconnects while its
 * broker starts, so MQTT 5 is tried a second time after a disconnection.
 */
async function dialAnyVersion(settings: DialSettings, options: DialOptions, isAgain = false): Promise<Link> {
  if (settings.protocolVersion) return dialOnce(settings, settings.protocolVersion, options)
  try {
    return await dialOnce(settings, 5, options)
  } catch (error) {
    const hasHungUp = isHangUp(error)
    if (hasHungUp && !isAgain) return dialAnyVersion(settings, options, true)
    if (!hasHungUp && !isRefusal(error)) throw error
    if (!hasHungUp) options.onMqtt5Refused?.()
    return dialOnce(settings, 4, options)
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ReasonError && UNSUPPORTED_VERSION.includes(error.reason.code)
}

/**
 * Returns whether the broker disconnected without CONNACK, for example before it read CONNECT (ECONNRESET).
 */
function isHangUp(error: unknown): boolean {
  return error instanceof NoAnswerError || codeOf(error) === 'ECONNRESET'
}

async function dialOnce(settings: DialSettings, version: Version, options: DialOptions): Promise<Link> {
  const transport = await loadTransport(missing)
  const clientOptions = clientOptionsOf(settings, version, transport.settings)
  options.signal.throwIfAborted()
  const client = transport.mqtt.connect(settings.url, clientOptions)
  enforceMaxPacketSize(client)
  disableStore(client)
  if (!disableNagle(client)) transport.joinFrames?.(client.stream)
  options.prepare?.(client)
  return awaitConnack(client, options.signal)
}

/**
 * Disables the store of mqtt.js for unacknowledged messages, because our queue resends them. The store would
 * move each message to the old generation of the garbage collector.
 */
function disableStore({ outgoingStore: store }: MqttClient): void {
  const done = (_packet: unknown, then: () => void) => {
    then()
    return store
  }
  store.put = done
  store.del = done
}

/**
 * Turns off Nagle's algorithm, which limits publishing to 848 instead of 58,900 messages/s. mqtt.js leaves it
 * on for TCP and TLS. Returns false for a WebSocket: `ws` turns it off, and browsers have no such setting.
 */
function disableNagle({ stream }: MqttClient): boolean {
  if (!('setNoDelay' in stream) || typeof stream.setNoDelay !== 'function') return false
  stream.setNoDelay(true)
  return true
}

function awaitConnack(client: MqttClient, signal: AbortSignal): Promise<Link> {
  return new Promise((resolve, reject) => {
    let reason: unknown
    const record = (error: unknown) => {
      reason ??= error
    }
    const refused = (packet: Packet) => record(refusalIn(packet))
    const fail = (error: unknown) => {
      signal.removeEventListener('abort', abort)
      destroyClient(client)
      reject(error)
    }
    const abort = () => fail(signal.reason)
    const close = () =>
      fail(reason ?? new NoAnswerError('the broker closed the connection without an answer'))
    // mqtt.js may emit nothing after an error, not even `close`.
    const onError = (error: Error) => fail(reason ?? explainError(error))
    signal.addEventListener('abort', abort, { once: true })
    client.once('packetreceive', refused)
    client.on('error', onError)
    // mqtt.js drops errors without a code, such as a 404 answer to a WebSocket.
    client.stream.on('error', record)
    client.once('close', close)
    client.once('connect', (packet) => {
      signal.removeEventListener('abort', abort)
      client.off('close', close).off('error', onError)
      resolve(new Link(client, packet))
    })
  })
}

/** Returns the reason in a CONNACK that refuses the connection; undefined for every other packet. */
function refusalIn(packet: Packet): ReasonError | undefined {
  if (packet.cmd !== 'connack') return undefined
  const reason = reasonBy(packet.reasonCode ?? packet.returnCode ?? 0)
  return reason.code > 0 ? new ReasonError(reason, describeReason(reason)) : undefined
}

/** Explains a parse error, which has no code. Returns other errors unchanged. */
function explainError(error: Error): Error {
  if (codeOf(error) !== undefined) return error
  return new Error(`something that is not MQTT (${error.message})`, { cause: error })
}

function clientOptionsOf(
  settings: DialSettings,
  protocolVersion: Version,
  platform: IClientOptions,
): IClientOptions {
  const { clientId, username, password, keepAliveSeconds, clean = true, tls } = settings
  // Set the expiry, because an MQTT 5 session ends with its connection otherwise. Do not set Receive Maximum:
  // Mosquitto 2.0.11 exceeds it when it resumes a session, and mqtt.js then disconnects every time.
  const properties = { sessionExpiryInterval: clean ? 0 : NEVER_EXPIRES, maximumPacketSize: MAX_PACKET_BYTES }
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
    wsOptions: { ...platform.wsOptions, maxPayload: MAX_FRAME_BYTES },
    reconnectPeriod: 0,
    resubscribe: false,
    // Our own timer, which covers attempts with both versions, must end first.
    connectTimeout: Math.min(settings.connectTimeoutMs + 1_000, MAX_TIMEOUT_MS),
    // mqtt.js would drop the brackets of an IPv6 address.
    transformWsUrl: () => settings.url,
    // The debug log of mqtt.js has the CONNECT packet with its password.
    log: () => {},
  }
}
