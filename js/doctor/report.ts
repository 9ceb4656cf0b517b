import type { PeerCertificate } from '../platform/platform.js'

export type { PeerCertificate }

/** What the guide promises, and a broker has to keep. */
export const PROMISES = [
  'accepted',
  'subscriber-killed',
  'order',
  'broker-killed',
  'retained',
  'group',
  'large-message',
] as const

/** The name of something that the guide promises; {@link BrokerPromise} has it in words. */
export type PromiseName = (typeof PROMISES)[number]

/**
 * `yes`: it held when it was tried. `no`: it did not. `unknown`: it could not be tried, or not to its end. `not-told`: no broker
 * tells this to its clients; look at its settings.
 */
export type PromiseHolds = 'yes' | 'no' | 'unknown' | 'not-told'

/** One promise of the guide, and whether this broker keeps it. */
export interface BrokerPromise {
  readonly name: PromiseName
  /** The promise in words. */
  readonly promise: string
  readonly holds: PromiseHolds
  /** What was seen. */
  readonly because: string
  /** What to write into the broker's configuration, or to look for there. Both brokers' files where the broker is not known. */
  readonly settings: readonly BrokerSettings[]
}

/** Lines of a broker's configuration. */
export interface BrokerSettings {
  readonly file: 'mosquitto.conf' | 'rabbitmq.conf'
  readonly lines: readonly string[]
}

/** What kind of broker it is. */
export interface BrokerSoftware {
  readonly name: 'Mosquitto' | 'RabbitMQ' | 'aedes'
  /** As the broker writes it; not all do. */
  readonly version?: string
}

/** What a broker of MQTT 5 has announced in its CONNACK (3.2.2.3). */
export interface BrokerAnnouncement {
  /** The most unacknowledged messages it takes at a time. */
  readonly receiveMaximum: number
  /** The highest QoS it takes. */
  readonly maximumQos: 0 | 1 | 2
  readonly isRetainAvailable: boolean
  readonly areSharedSubscriptionsAvailable: boolean
  /** Bytes of the longest packet it takes; `undefined`: it names no limit. */
  readonly maximumPacketSize: number | undefined
  /** Seconds that it keeps a session whose client is away; `undefined`: for ever, as it was asked to. */
  readonly sessionExpirySeconds: number | undefined
  /** Seconds of silence after which it ends a connection; `undefined`: what the client asked for. */
  readonly serverKeepAliveSeconds: number | undefined
}

/** What became of messages for a durable subscriber that was away. */
export interface BrokerBacklog {
  /** Messages that were published while it was away. */
  readonly published: number
  /** How many of them the broker acknowledged. */
  readonly acknowledged: number
  /** How many of the acknowledged ones came when it was back. */
  readonly kept: number
  /** Whether the broker still knew the session. */
  readonly isSessionKept: boolean
  /** Whether what was not acknowledged when the connection was cut came again; `undefined` when nothing came at all. */
  readonly isRedelivered: boolean | undefined
  /** Whether they came in the order in which they were published. */
  readonly isInOrder: boolean
}

/** State of a broker after someone restarted it. */
export interface BrokerRestart {
  /** Messages that it had acknowledged, for a subscriber that was away. */
  readonly published: number
  /** Number of them that came after the restart. */
  readonly received: number
  /** True if it still knew the session. */
  readonly isSessionKept: boolean
}

/** What became of messages for a group of two. */
export interface BrokerSharing {
  readonly published: number
  /** Different messages that came to either member. */
  readonly delivered: number
  /** How often a message came once more. */
  readonly doubled: number
  /** Messages that each member got. */
  readonly members: readonly [number, number]
}

/** What became of large messages. */
export interface BrokerSize {
  /** Bytes of the largest message that arrived; 0 when none did. */
  readonly arrived: number
  /** Milliseconds that it took from the publisher to the subscriber. */
  readonly ms: number
  /** Bytes of the smallest that did not, with what the broker did about it. */
  readonly refused?: { readonly bytes: number; readonly how: string }
}

/** Milliseconds from publishing a message to its acknowledgement. */
export interface BrokerRoundTrip {
  readonly count: number
  readonly minMs: number
  readonly medianMs: number
  readonly p99Ms: number
}

/** What was seen of a broker. A member is `undefined` when it was not tried, or failed: see `failures`. */
export interface BrokerFacts {
  /** MQTT 5, or 3.1.1 (`4`). */
  readonly protocolVersion: 4 | 5
  /** Whether the connection is encrypted. */
  readonly isEncrypted: boolean
  /** With TLS, where the runtime lets us look at it (not in browsers). */
  readonly certificate: PeerCertificate | undefined
  readonly software: BrokerSoftware | undefined
  /** With MQTT 5. */
  readonly announced: BrokerAnnouncement | undefined
  /** The highest QoS with which it takes a message. */
  readonly publishQos: 0 | 1 | 2 | undefined
  /** The QoS that it grants to a subscription with QoS 2; `refused` when it grants none. */
  readonly subscribeQos: 0 | 1 | 2 | 'refused' | undefined
  readonly roundTrip: BrokerRoundTrip | undefined
  /**
   * What it does when a second client comes with the same `clientId`: it ends the first one's connection and tells it why
   * (`told`, MQTT 5 reason 0x8E) or does not (`silent`), refuses the second one (`refused`), or keeps `both`.
   */
  readonly takeover: 'told' | 'silent' | 'refused' | 'both' | undefined
  readonly backlog: BrokerBacklog | undefined
  /** The line of its log about a save that failed. Mosquitto lets clients read its log with `log_dest topic`. */
  readonly saveFailure: string | undefined
  /** Present with the option `restart`. */
  readonly restart: BrokerRestart | undefined
  /** Whether a retained message came to a later subscriber. */
  readonly isRetainedKept: boolean | undefined
  readonly sharing: BrokerSharing | undefined
  readonly size: BrokerSize | undefined
}

/** A step of the check that failed, and why. */
export interface CheckFailure {
  readonly step: string
  readonly reason: string
}

/** Report on a broker, with the promises of the guide that it keeps. */
export interface BrokerReport {
  /** Where the broker is, without credentials. */
  readonly url: string
  /** `yes`: all promises hold, except those that no broker tells of (`not-told`). `no`: at least one does not. `unknown`: at least one could not be tried, or none could be told, and none failed. */
  readonly verdict: 'yes' | 'no' | 'unknown'
  readonly promises: readonly BrokerPromise[]
  readonly facts: BrokerFacts
  readonly failures: readonly CheckFailure[]
}
