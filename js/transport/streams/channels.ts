import type { AlvariumError } from '../../foundation/base/errors.js'
import type { Action, Bundle } from '../../foundation/model/bundle.js'
import { type Channel, platform } from '../../foundation/platform/platform.js'

/**
 * Channels of `node:diagnostics_channel` by name, with the type of the published value.
 *
 * Node calls subscribers synchronously, during the call that they observe. Subscribers should return quickly,
 * and must not change the published value. An error that a subscriber throws becomes an uncaught exception.
 * Without subscribers nothing is computed. Browsers have no diagnostics channels.
 *
 * @see https://nodejs.org/docs/latest-v20.x/api/diagnostics_channel.html
 *
 * @example
 * ```ts
 * import { subscribe } from 'node:diagnostics_channel'
 * import type { DiagnosticsChannels } from 'alvarium-sdk'
 *
 * subscribe('alvarium-sdk:failed', (said) => {
 *   const { error } = said as DiagnosticsChannels['alvarium-sdk:failed']
 *   console.warn(error.code, error.message)
 * })
 * ```
 */
export interface DiagnosticsChannels {
  /** Published when an SDK has hashed, signed and encoded a message, for one call or a batch of calls. */
  'alvarium-sdk:sealed': MessageTiming
  /** Published when an SDK's stream, such as `mqtt` or an outbox, has accepted a message. */
  'alvarium-sdk:accepted': MessageTiming
  /** Published when an SDK's stream has failed to accept a message. */
  'alvarium-sdk:failed': {
    readonly message: Uint8Array
    readonly error: AlvariumError
  }
  /** Published when `mqtt` begins to send a PUBLISH packet, once for each topic. */
  'alvarium-sdk:mqtt:published': PacketInfo
  /** Published when `mqtt` resends a PUBLISH packet, after a lost connection or because nobody subscribed. */
  'alvarium-sdk:mqtt:resent': PacketInfo
  /** Published when the broker has acknowledged a PUBLISH packet, or with QoS 0, when `mqtt` has sent it. */
  'alvarium-sdk:mqtt:acknowledged': PacketInfo & {
    /** Milliseconds since the packet was last sent. */
    readonly tookMs: number
  }
  /**
   * Published when a `publish()` of `mqtt` rejects, except if at the time of the call the stream was already
   * closed or not connected, or the signal already aborted. Causes are a refusal by the broker, a timeout, a
   * later abort, a lost connection (QoS 0), a full queue, and a stream closed in the meantime.
   */
  'alvarium-sdk:mqtt:rejected': {
    /** Length of the message in bytes. */
    readonly bytes: number
    /** An `AlvariumError`, or the reason of the caller's signal. */
    readonly error: unknown
  }
  /** Published when `mqtt` or `subscribe` has connected to a broker. */
  'alvarium-sdk:mqtt:connected': ConnectionInfo & {
    /** Number of earlier connections of the same stream or subscription. */
    readonly reconnects: number
  }
  /** Published when `mqtt` or `subscribe` has lost the connection to a broker, before it reconnects. */
  'alvarium-sdk:mqtt:disconnected': ConnectionInfo & {
    readonly reason: Error
  }
  /** Published when `subscribe` has verified a bundle, before delivering the bundle. */
  'alvarium-sdk:verified': {
    readonly topic: string
    /** The received message, which contains many bundles if it is a batch. */
    readonly message: Uint8Array
    /** Verified bundle with its `id`, without what `subscribe` adds on delivery, like `topic` and `ack()`. */
    readonly bundle: Bundle & { readonly id: string }
  }
  /** Published when `subscribe` has verified the annotations of a classic message, before delivering them. */
  'alvarium-sdk:classic:verified': {
    readonly topic: string
    readonly message: Uint8Array
    readonly id: string
    /** Action of the message, which the signature does not cover. */
    readonly action: Action
    /** SDK that defines the format of the message: `go`, `java`, `rust` or `python`. */
    readonly dialect: string
  }
  /** Published when `subscribe` receives a message that does not verify. */
  'alvarium-sdk:rejected': {
    readonly topic: string
    readonly message: Uint8Array
    readonly error: AlvariumError
  }
}

/** Published on `alvarium-sdk:sealed` and `alvarium-sdk:accepted`: a message, and how long that step took. */
export interface MessageTiming {
  /** Bytes of the message as the SDK publishes them. */
  readonly message: Uint8Array
  /** Duration of sealing or accepting the message, in milliseconds. */
  readonly tookMs: number
}

/** Topic and length of a PUBLISH packet. */
export interface PacketInfo {
  readonly topic: string
  /** Length of the message in bytes. */
  readonly bytes: number
}

/** Broker URL and client id of a connection. */
export interface ConnectionInfo {
  readonly url: string
  readonly clientId: string
}

type ChannelName = keyof DiagnosticsChannels

function channelNamed<Name extends ChannelName>(name: Name): Channel<DiagnosticsChannels[Name]> {
  let found: Channel<DiagnosticsChannels[Name]> | undefined
  const channel = () => {
    found ??= platform.channel?.(name)
    return found
  }
  return {
    get hasSubscribers() {
      return channel()?.hasSubscribers ?? false
    },
    publish: (message) => channel()?.publish(message),
  }
}

export const sealedChannel = channelNamed('alvarium-sdk:sealed')
export const acceptedChannel = channelNamed('alvarium-sdk:accepted')
export const failedChannel = channelNamed('alvarium-sdk:failed')
export const publishedChannel = channelNamed('alvarium-sdk:mqtt:published')
export const resentChannel = channelNamed('alvarium-sdk:mqtt:resent')
export const acknowledgedChannel = channelNamed('alvarium-sdk:mqtt:acknowledged')
export const mqttRejectedChannel = channelNamed('alvarium-sdk:mqtt:rejected')
export const connectedChannel = channelNamed('alvarium-sdk:mqtt:connected')
export const disconnectedChannel = channelNamed('alvarium-sdk:mqtt:disconnected')
export const verifiedChannel = channelNamed('alvarium-sdk:verified')
export const classicVerifiedChannel = channelNamed('alvarium-sdk:classic:verified')
export const rejectedChannel = channelNamed('alvarium-sdk:rejected')
