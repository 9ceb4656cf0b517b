import type { IClientOptions, MqttClient, Packet } from 'mqtt'
import { loadTransport } from '#platform'
import { AlvariumError, codeOf } from '../../../foundation/base/errors.js'
import { missing } from '../../../foundation/base/missing.js'
import { MAX_TIMEOUT_MS, shownUrl } from '../../../foundation/base/options/schema.js'
import { onAbort } from '../../../foundation/base/time/abort.js'
import { limitPackets, MAX_FRAME_BYTES, MAX_PACKET_BYTES } from './bounds.js'
import { NEVER_EXPIRES } from './grants.js'
import { destroyClient, Link, reasonOf } from './link.js'
import type { ConnectionSettings } from './options.js'
import { describeReason, ReasonError, reasonBy, UNSUPPORTED_VERSION } from './reasons.js'

type Version = 4 | 5

/** Settings for a connection to one broker. */
export type DialSettings = Omit<ConnectionSettings, 'url'> & { readonly url: string }

/** Options of one attempt to reach the broker. */
export interface DialOptions {
  /** Signal that ends the attempt; the rejection is its reason. */
  readonly signal: AbortSignal
  /** Sees the client before its first packet arrives. */
  readonly prepare?: ((client: MqttClient) => void) | undefined
  /** Reports that the broker does not support MQTT 5. */
  readonly onMqtt5Refused?: (() => void) | undefined
}

/** Error of a connection that ended without a CONNACK or another error. */
class NoAnswerError extends Error {}

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
  // Not `AbortSignal.any`: Node 20 keeps a trace of each one while its sources live, here of every attempt to
  // reconnect.
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
 * Connects with MQTT 5, then with 3.1.1. Brokers that only support 3.1.1 refuse MQTT 5 in CONNACK (aedes), or
 * disconnect because they cannot parse it (RabbitMQ 3.10). A load balancer also disconnects while its broker starts, so
 * MQTT 5 is tried a second time after a disconnection.
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

/** Returns whether the broker refused MQTT 5. */
function isRefusal(error: unknown): boolean {
  return error instanceof ReasonError && UNSUPPORTED_VERSION.includes(error.reason.code)
}

/** Returns whether the broker disconnected without an answer. TCP reports ECONNRESET if CONNECT was left unread. */
function isHangUp(error: unknown): boolean {
  return error instanceof NoAnswerError || codeOf(error) === 'ECONNRESET'
}

async function dialOnce(settings: DialSettings, version: Version, options: DialOptions): Promise<Link> {
  const transport = await loadTransport(missing)
  const clientOptions = clientOptionsOf(settings, version, transport.settings)
  options.signal.throwIfAborted()
  const client = transport.mqtt.connect(settings.url, clientOptions)
  limitPackets(client)
  disableStore(client)
  if (!disableNagle(client)) transport.joinFrames?.(client.stream)
  options.prepare?.(client)
  return awaitConnack(client, options.signal)
}

/**
 * Replaces the store in which mqtt.js keeps unacknowledged messages for its own reconnection, which is not used: our
 * queue resends them. A message that mqtt.js held until its acknowledgement would become an old object, which the
 * garbage collector moves first.
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
 * Turns off Nagle's algorithm, which holds small packets back until the last one is acknowledged: 848 instead of 58,900
 * messages/s. Only needed for TCP and TLS, where mqtt.js leaves it on. `ws` turns it off itself, and browsers have no
 * such setting.
 *
 * @returns whether the stream is one of TCP or TLS
 */
function disableNagle({ stream }: MqttClient): boolean {
  if (!('setNoDelay' in stream) || typeof stream.setNoDelay !== 'function') return false
  stream.setNoDelay(true)
  return true
}

/** Waits for the broker's CONNACK. */
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
    // Nothing follows an error, not always even the end of the connection.
    const onError = (error: Error) => fail(reason ?? explainError(error))
    signal.addEventListener('abort', abort, { once: true })
    client.once('packetreceive', refused)
    client.on('error', onError)
    // mqtt.js does not pass on errors without a code, such as a WebSocket answered with 404.
    client.stream.on('error', record)
    client.once('close', close)
    client.once('connect', (packet) => {
      signal.removeEventListener('abort', abort)
      client.off('close', close).off('error', onError)
      resolve(new Link(client, packet))
    })
  })
}

/** Returns the broker's refusal, because mqtt.js reports one as an error with its own text. */
function refusalIn(packet: Packet): ReasonError | undefined {
  if (packet.cmd !== 'connack') return undefined
  const reason = reasonBy(packet.reasonCode ?? packet.returnCode ?? 0)
  return reason.code > 0 ? new ReasonError(reason, describeReason(reason)) : undefined
}

/** Explains an error without a code: errors of the transport and refusals have one, parse errors do not. */
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
  // A session of MQTT 5 ends with its connection by default, one of 3.1.1 never does. No Receive Maximum, because
  // Mosquitto 2.0.11 exceeds it when it resumes a session, and mqtt.js then disconnects, again and again.
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
    // Longer than our own timeout, which covers the attempts with both versions and must end first.
    connectTimeout: Math.min(settings.connectTimeoutMs + 1_000, MAX_TIMEOUT_MS),
    // mqtt.js rebuilds the URL without the brackets of an IPv6 address.
    transformWsUrl: () => settings.url,
    // The debug log of mqtt.js prints the CONNECT packet with its password.
    log: () => {},
  }
}
