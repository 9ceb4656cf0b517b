import type { AlvariumError } from '../base/errors.js'
import type { Action, Bundle } from '../model/bundle.js'
import { type Channel, platform } from '../platform/platform.js'

/**
 * What happens, for whoever listens: the channels of `node:diagnostics_channel`, by their names, and what is said on each.
 *
 * Messages are handed over at once, in the middle of what they tell of, so a listener should be quick, and must not change
 * what it is given; one that throws is an uncaught exception, as with any channel of Node's. While nobody listens nothing is
 * put together. Browsers have no such channels.
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
  /** An SDK has a message: one call, or a batch of calls, is hashed, signed and encoded. */
  'alvarium-sdk:sealed': MessageTook
  /** An SDK's stream has accepted a message: the broker has acknowledged it, or an outbox stored it. */
  'alvarium-sdk:accepted': MessageTook
  /** An SDK's stream has not accepted a message. */
  'alvarium-sdk:failed': {
    readonly message: Uint8Array
    readonly error: AlvariumError
  }
  /** `mqtt` has begun to send a PUBLISH packet: for each topic one. */
  'alvarium-sdk:mqtt:published': PacketSaid
  /** `mqtt` sends a PUBLISH packet once more, after a lost connection. */
  'alvarium-sdk:mqtt:resent': PacketSaid
  /** The broker has acknowledged a PUBLISH packet; with QoS 0, it is handed to the connection. */
  'alvarium-sdk:mqtt:acknowledged': PacketSaid & {
    /** Milliseconds since the packet was last sent. */
    readonly tookMs: number
  }
  /** `mqtt` gives a message up: the broker refused it, or its time is up, its caller left, or the stream closes. */
  'alvarium-sdk:mqtt:rejected': {
    /** The message's length. */
    readonly bytes: number
    /** An `AlvariumError`, or the reason of the caller's signal. */
    readonly error: unknown
  }
  /** A connection to a broker is there, of `mqtt` or `subscribe`. */
  'alvarium-sdk:mqtt:connected': ConnectionSaid & {
    /** How many there were before it. */
    readonly reconnects: number
  }
  /** The connection to a broker is lost; the next attempt follows by itself. */
  'alvarium-sdk:mqtt:disconnected': ConnectionSaid & {
    readonly reason: Error
  }
  /** `subscribe` has verified a bundle, and is about to give it. */
  'alvarium-sdk:verified': {
    readonly topic: string
    /** The message as it came, of which a batch has many bundles. */
    readonly message: Uint8Array
    /** What is given, among its other members. */
    readonly bundle: Bundle & { readonly id: string }
  }
  /** `subscribe` has verified annotations of a classic message, and is about to give it. */
  'alvarium-sdk:classic:verified': {
    readonly topic: string
    readonly message: Uint8Array
    readonly id: string
    /** Nobody signed it. */
    readonly action: Action
    /** Whose rules it follows: `go`, `java`, `rust` or `python`. */
    readonly dialect: string
  }
  /** A message came to `subscribe` that does not verify. */
  'alvarium-sdk:rejected': {
    readonly topic: string
    readonly message: Uint8Array
    readonly error: AlvariumError
  }
}

/** A message, the same bytes on each channel, and how long what is told of took. */
export interface MessageTook {
  /** The message as it is published. */
  readonly message: Uint8Array
  /** Milliseconds. */
  readonly tookMs: number
}

/** A PUBLISH packet. */
export interface PacketSaid {
  readonly topic: string
  /** The message's length. */
  readonly bytes: number
}

/** A connection to a broker. */
export interface ConnectionSaid {
  readonly url: string
  readonly clientId: string
}

type ChannelName = keyof DiagnosticsChannels

function named<Name extends ChannelName>(name: Name): Channel<DiagnosticsChannels[Name]> {
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

export const sealed = named('alvarium-sdk:sealed')
export const accepted = named('alvarium-sdk:accepted')
export const failed = named('alvarium-sdk:failed')
export const published = named('alvarium-sdk:mqtt:published')
export const resent = named('alvarium-sdk:mqtt:resent')
export const acknowledged = named('alvarium-sdk:mqtt:acknowledged')
export const givenUp = named('alvarium-sdk:mqtt:rejected')
export const connected = named('alvarium-sdk:mqtt:connected')
export const disconnected = named('alvarium-sdk:mqtt:disconnected')
export const verified = named('alvarium-sdk:verified')
export const verifiedClassic = named('alvarium-sdk:classic:verified')
export const rejected = named('alvarium-sdk:rejected')
