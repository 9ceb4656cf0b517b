import type { AlvariumError } from '../../foundation/base/errors.js'
import type { Action, Bundle } from '../../foundation/model/bundle.js'
import { type Channel, platform } from '../../foundation/platform/platform.js'

/**
 * Channels of `node:diagnostics_channel` by name, with the type of what each publishes.
 *
 * Subscribers are called synchronously, in the middle of the call that they observe. They should be quick, and must not
 * change what they receive. A subscriber that throws is an uncaught exception, as with any channel of Node. Without
 * subscribers nothing is computed. Browsers have no such channels.
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
  /** Published when a message of an SDK is ready: one call, or a batch of calls, is hashed, signed and encoded. */
  'alvarium-sdk:sealed': MessageTiming
  /**
   * Published when an SDK's stream has accepted a message: the broker has acknowledged it, or an outbox has stored it.
   */
  'alvarium-sdk:accepted': MessageTiming
  /** Published when an SDK's stream has not accepted a message. */
  'alvarium-sdk:failed': {
    readonly message: Uint8Array
    readonly error: AlvariumError
  }
  /** Published when `mqtt` begins to send a PUBLISH packet, once for each topic. */
  'alvarium-sdk:mqtt:published': PacketInfo
  /** Published when `mqtt` resends a PUBLISH packet after a lost connection. */
  'alvarium-sdk:mqtt:resent': PacketInfo
  /** Published when the broker has acknowledged a PUBLISH packet; with QoS 0, when it is handed to the connection. */
  'alvarium-sdk:mqtt:acknowledged': PacketInfo & {
    /** Milliseconds since the packet was last sent. */
    readonly tookMs: number
  }
  /**
   * Published when a `publish()` of `mqtt` rejects: refused by the broker, timed out, aborted, lost (QoS 0), queue
   * full, or stream closed.
   */
  'alvarium-sdk:mqtt:rejected': {
    /** Length of the message. */
    readonly bytes: number
    /** An `AlvariumError`, or the reason of the caller's signal. */
    readonly error: unknown
  }
  /** Published when `mqtt` or `subscribe` has connected to a broker. */
  'alvarium-sdk:mqtt:connected': ConnectionInfo & {
    /** Number of earlier connections. */
    readonly reconnects: number
  }
  /** Published when the connection to a broker is lost. The next attempt follows automatically. */
  'alvarium-sdk:mqtt:disconnected': ConnectionInfo & {
    readonly reason: Error
  }
  /** Published when `subscribe` has verified a bundle, before it delivers it. */
  'alvarium-sdk:verified': {
    readonly topic: string
    /** The received message; a batch contains many bundles. */
    readonly message: Uint8Array
    /** The bundle, a subset of what `subscribe` delivers. */
    readonly bundle: Bundle & { readonly id: string }
  }
  /** Published when `subscribe` has verified annotations of a classic message, before it delivers them. */
  'alvarium-sdk:classic:verified': {
    readonly topic: string
    readonly message: Uint8Array
    readonly id: string
    /** The action, which is not signed. */
    readonly action: Action
    /** The SDK whose format the message has: `go`, `java`, `rust` or `python`. */
    readonly dialect: string
  }
  /** Published when `subscribe` receives a message that does not verify. */
  'alvarium-sdk:rejected': {
    readonly topic: string
    readonly message: Uint8Array
    readonly error: AlvariumError
  }
}

/** A message, as the same bytes on each channel, and the duration of the reported step. */
export interface MessageTiming {
  /** The published bytes. */
  readonly message: Uint8Array
  /** Duration in milliseconds. */
  readonly tookMs: number
}

/** A PUBLISH packet. */
export interface PacketInfo {
  readonly topic: string
  /** Length of the message. */
  readonly bytes: number
}

/** A connection to a broker. */
export interface ConnectionInfo {
  readonly url: string
  readonly clientId: string
}

type ChannelName = keyof DiagnosticsChannels

function channelNamed<Name extends ChannelName>(name: Name): Channel<DiagnosticsChannels[Name]> {
  let found: Channel<DiagnosticsChannels[Name]> | undefined
  const it = () => {
    found ??= platform.channel?.(name)
    return found
  }
  return {
    get hasSubscribers() {
      return it()?.hasSubscribers ?? false
    },
    publish: (message) => it()?.publish(message),
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
