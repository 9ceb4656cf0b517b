import type { PeerCertificate } from '../../foundation/platform/platform.js'

export type { PeerCertificate }

/** Names of the promises of the guide that a broker must keep. */
export const PROMISES = [
  'accepted',
  'subscriber-killed',
  'order',
  'broker-killed',
  'retained',
  'group',
  'large-message',
] as const

/** Name of a promise of the guide. {@link BrokerPromise} contains the text of the promise. */
export type PromiseName = (typeof PROMISES)[number]

/**
 * Result for a promise of the guide. `yes`: it held in the check. `no`: it did not hold. `unknown`: the check
 * could not test it. `not-told`: no broker reports on it to clients, so check the broker's settings.
 */
export type PromiseHolds = 'yes' | 'no' | 'unknown' | 'not-told'

/** A promise of the guide about brokers, and whether this broker keeps it. */
export interface BrokerPromise {
  readonly name: PromiseName
  /** Text of the promise, such as `an acknowledged message survives a restart or a crash of the broker`. */
  readonly promise: string
  readonly holds: PromiseHolds
  /** Observation that decides the result. */
  readonly because: string
  /** Lines for the broker's configuration. If its software is unknown, lines for Mosquitto and lines for RabbitMQ. */
  readonly settings: readonly BrokerSettings[]
}

/** Lines of a broker's configuration. */
export interface BrokerSettings {
  readonly file: 'mosquitto.conf' | 'rabbitmq.conf'
  readonly lines: readonly string[]
}

/** Software of a broker, if the check recognizes the software. */
export interface BrokerSoftware {
  readonly name: 'Mosquitto' | 'RabbitMQ' | 'aedes'
  /** Version as the broker states it; absent if the broker states none. */
  readonly version?: string
}

/** Properties that a broker of MQTT 5 announces in its CONNACK (3.2.2.3). */
export interface BrokerAnnouncement {
  /** Maximum number of unacknowledged messages that the broker accepts at a time. */
  readonly receiveMaximum: number
  /** Highest QoS that the broker accepts. */
  readonly maximumQos: 0 | 1 | 2
  readonly isRetainAvailable: boolean
  readonly areSharedSubscriptionsAvailable: boolean
  /** Maximum packet size in bytes; `undefined` if the broker announces no limit. */
  readonly maximumPacketSize: number | undefined
  /** Seconds for which the broker keeps an absent client's session; `undefined`: as long as requested. */
  readonly sessionExpirySeconds: number | undefined
  /** Keep-alive seconds that the broker requires of clients; `undefined` if it accepts the client's own. */
  readonly serverKeepAliveSeconds: number | undefined
}

/** Result of publishing messages while a durable subscriber was absent. */
export interface BrokerBacklog {
  /** Number of messages published while the subscriber was away. */
  readonly published: number
  /** Number of published messages that the broker acknowledged. */
  readonly acknowledged: number
  /** Number of acknowledged messages that arrived after the subscriber returned. */
  readonly kept: number
  /** True if the broker still had the session when the subscriber returned. */
  readonly isSessionKept: boolean
  /** True if the broker redelivered the unacknowledged message; `undefined` if none had arrived. */
  readonly isRedelivered: boolean | undefined
  /** True if the messages arrived in the order in which the check published them. */
  readonly isInOrder: boolean
}

/** Result of restarting the broker during the check. */
export interface BrokerRestart {
  /** Number of messages for an absent subscriber that the broker acknowledged before the restart. */
  readonly published: number
  /** Number of messages acknowledged before the restart that arrived after it. */
  readonly received: number
  /** True if the broker still had the subscriber's session after the restart. */
  readonly isSessionKept: boolean
}

/** Result of sharing messages between two clients of a shared subscription. */
export interface BrokerSharing {
  readonly published: number
  /** Number of different messages that reached at least one of the two clients. */
  readonly delivered: number
  /** Number of deliveries of messages that either client had already received. */
  readonly repeated: number
  /** Number of messages that each of the two clients received. */
  readonly members: readonly [number, number]
}

/**
 * Largest message that arrived in the check with large messages, and smallest message that did not arrive.
 */
export interface BrokerSize {
  /** Size in bytes of the largest message that arrived; 0 if none arrived. */
  readonly arrived: number
  /** Milliseconds that the largest message took from the publisher to the subscriber; 0 if none arrived. */
  readonly ms: number
  /** Size in bytes of the smallest message that did not arrive, and the reason. */
  readonly refused?: { readonly bytes: number; readonly how: string }
}

/** Milliseconds from publishing a message to its acknowledgement. */
export interface BrokerRoundTrip {
  readonly count: number
  readonly minMs: number
  readonly medianMs: number
  readonly p99Ms: number
}

/** Facts about a broker. A member is `undefined` if its step was skipped or failed; see `failures`. */
export interface BrokerFacts {
  /** MQTT version of the connection: 5, or 4 for MQTT 3.1.1. */
  readonly protocolVersion: 4 | 5
  /** True if the connection to the broker uses TLS. */
  readonly isEncrypted: boolean
  /** TLS certificate of the broker; `undefined` without TLS and in browsers, which do not show it. */
  readonly certificate: PeerCertificate | undefined
  readonly software: BrokerSoftware | undefined
  /** Properties announced in the broker's CONNACK, with MQTT 5 only. */
  readonly announced: BrokerAnnouncement | undefined
  /** Highest QoS with which the broker accepts a message. */
  readonly publishQos: 0 | 1 | 2 | undefined
  /** QoS that the broker grants to a subscription with QoS 2; `refused` if it refuses the subscription. */
  readonly subscribeQos: 0 | 1 | 2 | 'refused' | undefined
  readonly roundTrip: BrokerRoundTrip | undefined
  /**
   * Reaction to a second client with the same `clientId`. `told`: the broker ends the first connection with
   * MQTT 5 reason 0x8E. `silent`: it ends the first connection without that reason. `refused`: it refuses the
   * second connection. `both`: it keeps both connections.
   */
  readonly takeover: 'told' | 'silent' | 'refused' | 'both' | undefined
  readonly backlog: BrokerBacklog | undefined
  /**
   * Line in which Mosquitto logs that it failed to save messages; present only if its setting is
   * `log_dest topic`.
   */
  readonly saveFailure: string | undefined
  /** Result of the restart; present only with the option `restart`. */
  readonly restart: BrokerRestart | undefined
  /** True if a retained message reached a later subscriber. */
  readonly isRetainedKept: boolean | undefined
  readonly sharing: BrokerSharing | undefined
  readonly size: BrokerSize | undefined
}

/** Step of a broker check that failed, and the reason. */
export interface CheckFailure {
  readonly step: string
  readonly reason: string
}

/** Report on a broker: the promises of the guide that the broker keeps, and the facts found. */
export interface BrokerReport {
  /** Address of the broker, without credentials. */
  readonly url: string
  /**
   * Overall result. `no`: at least one promise has the result `no`. Otherwise `unknown` if at least one has
   * `unknown`, or if all have `not-told`. Otherwise `yes`: the promises that are not `not-told` hold.
   */
  readonly verdict: 'yes' | 'no' | 'unknown'
  readonly promises: readonly BrokerPromise[]
  readonly facts: BrokerFacts
  readonly failures: readonly CheckFailure[]
}
