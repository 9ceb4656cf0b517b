import type { PeerCertificate } from '../../foundation/platform/platform.js'

export type { PeerCertificate }

/** Promises of the guide that a broker must keep. */
export const PROMISES = [
  'accepted',
  'subscriber-killed',
  'order',
  'broker-killed',
  'retained',
  'group',
  'large-message',
] as const

/** Name of a promise of the guide; {@link BrokerPromise} has its text. */
export type PromiseName = (typeof PROMISES)[number]

/**
 * Result of a promise. `yes`: it held in the check. `no`: it did not. `unknown`: the check could not test it
 * completely. `not-told`: no broker reports this to its clients; look at its settings.
 */
export type PromiseHolds = 'yes' | 'no' | 'unknown' | 'not-told'

/** Result of one promise of the guide for this broker. */
export interface BrokerPromise {
  readonly name: PromiseName
  /** Text of the promise. */
  readonly promise: string
  readonly holds: PromiseHolds
  /** Observation that decides the result. */
  readonly because: string
  /**
   * Lines to write into the broker's configuration, or to look for there; for both brokers if the software is unknown.
   */
  readonly settings: readonly BrokerSettings[]
}

/** Lines of a broker's configuration. */
export interface BrokerSettings {
  readonly file: 'mosquitto.conf' | 'rabbitmq.conf'
  readonly lines: readonly string[]
}

/** Software of a broker. */
export interface BrokerSoftware {
  readonly name: 'Mosquitto' | 'RabbitMQ' | 'aedes'
  /** Version as the broker writes it. Not all brokers state one. */
  readonly version?: string
}

/** Properties that a broker of MQTT 5 announces in its CONNACK (3.2.2.3). */
export interface BrokerAnnouncement {
  /** Maximum number of unacknowledged messages that it accepts at a time. */
  readonly receiveMaximum: number
  /** Highest QoS that it accepts. */
  readonly maximumQos: 0 | 1 | 2
  readonly isRetainAvailable: boolean
  readonly areSharedSubscriptionsAvailable: boolean
  /** Maximum packet size in bytes; `undefined` if the broker announces no limit. */
  readonly maximumPacketSize: number | undefined
  /** Seconds for which it keeps the session of an absent client; `undefined`: forever, as the client requested. */
  readonly sessionExpirySeconds: number | undefined
  /** Seconds of silence after which it ends a connection; `undefined`: the client's own value. */
  readonly serverKeepAliveSeconds: number | undefined
}

/** Messages that the broker kept for a durable subscriber that was away. */
export interface BrokerBacklog {
  /** Number of messages published while the subscriber was away. */
  readonly published: number
  /** Number of published messages that the broker acknowledged. */
  readonly acknowledged: number
  /** Number of acknowledged messages that arrived after the subscriber returned. */
  readonly kept: number
  /** True if the broker still had the session. */
  readonly isSessionKept: boolean
  /**
   * True if the message that was unacknowledged when the connection was cut arrived again; `undefined` if none arrived
   * before.
   */
  readonly isRedelivered: boolean | undefined
  /** True if the messages arrived in the order in which they were published. */
  readonly isInOrder: boolean
}

/** Result of the check with a restart of the broker. */
export interface BrokerRestart {
  /** Number of messages that the broker acknowledged before the restart, for an absent subscriber. */
  readonly published: number
  /** Number of these messages that arrived after the restart. */
  readonly received: number
  /** True if the broker still had the session. */
  readonly isSessionKept: boolean
}

/** Result of the check with a group of two. */
export interface BrokerSharing {
  readonly published: number
  /** Number of different messages that reached either member. */
  readonly delivered: number
  /** Number of repeated deliveries. */
  readonly doubled: number
  /** Number of messages that each member received. */
  readonly members: readonly [number, number]
}

/** Result of the check with large messages. */
export interface BrokerSize {
  /** Size of the largest message that arrived, in bytes; 0 if none did. */
  readonly arrived: number
  /** Milliseconds from the publisher to the subscriber. */
  readonly ms: number
  /** Size in bytes of the smallest message that did not arrive, and the broker's reaction. */
  readonly refused?: { readonly bytes: number; readonly how: string }
}

/** Milliseconds from publishing a message to its acknowledgement. */
export interface BrokerRoundTrip {
  readonly count: number
  readonly minMs: number
  readonly medianMs: number
  readonly p99Ms: number
}

/** Facts about a broker. A member is `undefined` if it was not checked or its step failed: see `failures`. */
export interface BrokerFacts {
  /** Protocol version: MQTT 5, or 3.1.1 (`4`). */
  readonly protocolVersion: 4 | 5
  /** True if the connection is encrypted. */
  readonly isEncrypted: boolean
  /** Certificate of the broker, with TLS, in runtimes that show it (not in browsers). */
  readonly certificate: PeerCertificate | undefined
  readonly software: BrokerSoftware | undefined
  /** Announcement in CONNACK, with MQTT 5 only. */
  readonly announced: BrokerAnnouncement | undefined
  /** Highest QoS with which the broker accepts a message. */
  readonly publishQos: 0 | 1 | 2 | undefined
  /** QoS that it grants to a subscription with QoS 2; `refused` if it grants none. */
  readonly subscribeQos: 0 | 1 | 2 | 'refused' | undefined
  readonly roundTrip: BrokerRoundTrip | undefined
  /**
   * Reaction to a second client with the same `clientId`. `told`: the broker ends the first connection with MQTT 5
   * reason 0x8E. `silent`: it ends it without that reason. `refused`: it refuses the second connection. `both`: it
   * keeps both.
   */
  readonly takeover: 'told' | 'silent' | 'refused' | 'both' | undefined
  readonly backlog: BrokerBacklog | undefined
  /** Line of the broker's log about a failed save. Mosquitto lets clients read its log with `log_dest topic`. */
  readonly saveFailure: string | undefined
  /** Result of the restart. Present only with the option `restart`. */
  readonly restart: BrokerRestart | undefined
  /** True if a retained message reached a later subscriber. */
  readonly isRetainedKept: boolean | undefined
  readonly sharing: BrokerSharing | undefined
  readonly size: BrokerSize | undefined
}

/** Step of the check that failed, and the reason. */
export interface CheckFailure {
  readonly step: string
  readonly reason: string
}

/** Report on a broker, with the promises of the guide that it keeps. */
export interface BrokerReport {
  /** Address of the broker, without credentials. */
  readonly url: string
  /**
   * Overall result. `yes`: all promises hold, except promises that no broker reports on (`not-told`). `no`: at least
   * one does not hold. `unknown`: none failed, but at least one could not be checked, or no promise could be decided.
   */
  readonly verdict: 'yes' | 'no' | 'unknown'
  readonly promises: readonly BrokerPromise[]
  readonly facts: BrokerFacts
  readonly failures: readonly CheckFailure[]
}
