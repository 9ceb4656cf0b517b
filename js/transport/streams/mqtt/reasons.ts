/**
 * Subject of a reason code: `us` is our client, and `unsaid` means that the code does not tell the subject.
 */
export type ReasonSubject = 'message' | 'subscription' | 'connection' | 'us' | 'unsaid'

export interface ReasonCode {
  readonly code: number
  /** Name of the reason code in MQTT 5 (2.4). */
  readonly name: string
  readonly about: ReasonSubject
  /**
   * Duration of the refusal: `now` if the same request may succeed later, `good` (for good) if it never will.
   */
  readonly lasts: 'now' | 'good'
}

/**
 * Reason codes with which a broker refuses (MQTT 5, 2.4). `us` is our client with its permissions, quota and
 * options, which all messages share.
 */
const REASONS: readonly (readonly [
  code: number,
  name: string,
  about: ReasonSubject,
  lasts: ReasonCode['lasts'],
])[] = [
  [0x00, 'Normal disconnection', 'connection', 'now'],
  [0x80, 'Unspecified error', 'unsaid', 'now'],
  [0x81, 'Malformed Packet', 'unsaid', 'now'],
  [0x82, 'Protocol Error', 'unsaid', 'now'],
  [0x83, 'Implementation specific error', 'unsaid', 'now'],
  [0x84, 'Unsupported Protocol Version', 'us', 'good'],
  [0x85, 'Client Identifier not valid', 'us', 'good'],
  [0x86, 'Bad User Name or Password', 'us', 'good'],
  [0x87, 'Not authorized', 'us', 'now'],
  [0x88, 'Server unavailable', 'connection', 'now'],
  [0x89, 'Server busy', 'connection', 'now'],
  [0x8a, 'Banned', 'us', 'good'],
  [0x8b, 'Server shutting down', 'connection', 'now'],
  [0x8c, 'Bad authentication method', 'us', 'good'],
  [0x8d, 'Keep Alive timeout', 'connection', 'now'],
  [0x8e, 'Session taken over', 'us', 'now'],
  [0x8f, 'Topic Filter invalid', 'subscription', 'good'],
  [0x90, 'Topic Name invalid', 'message', 'good'],
  [0x91, 'Packet Identifier in use', 'connection', 'now'],
  [0x92, 'Packet Identifier not found', 'connection', 'now'],
  [0x93, 'Receive Maximum exceeded', 'connection', 'now'],
  [0x94, 'Topic Alias invalid', 'connection', 'now'],
  [0x95, 'Packet too large', 'message', 'good'],
  [0x96, 'Message rate too high', 'us', 'now'],
  [0x97, 'Quota exceeded', 'us', 'now'],
  [0x98, 'Administrative action', 'connection', 'now'],
  [0x99, 'Payload format invalid', 'message', 'good'],
  // `us` instead of `message`, because the options `retain` and `qos` apply to every message.
  [0x9a, 'Retain not supported', 'us', 'good'],
  [0x9b, 'QoS not supported', 'us', 'good'],
  [0x9c, 'Use another server', 'connection', 'now'],
  [0x9d, 'Server moved', 'connection', 'good'],
  [0x9e, 'Shared Subscriptions not supported', 'subscription', 'good'],
  [0x9f, 'Connection rate exceeded', 'connection', 'now'],
  [0xa0, 'Maximum connect time', 'connection', 'now'],
  [0xa1, 'Subscription Identifiers not supported', 'subscription', 'good'],
  [0xa2, 'Wildcard Subscriptions not supported', 'subscription', 'good'],
]

/**
 * MQTT 5 reason codes for the CONNACK return codes 1 to 5 of MQTT 3.1.1 (3.2.2.3). SUBACK of MQTT 3.1.1
 * has a single failure code, 0x80, which MQTT 5 has too.
 */
const RETURN_CODES = [0x84, 0x85, 0x88, 0x86, 0x87]

const UNKNOWN = [0, 'Unknown reason', 'unsaid', 'now'] as const

/** "No matching subscribers", a success code of PUBACK and PUBREC (MQTT 5, 3.4.2.1). */
export const NO_MATCHING_SUBSCRIBERS = 0x10
export const TAKEN_OVER = 0x8e
/** CONNACK codes for an unsupported protocol version: 1 in MQTT 3.1.1, and 0x84 in MQTT 5. */
export const UNSUPPORTED_VERSION: readonly unknown[] = [1, 0x84]

/** Returns the reason for a code. For an unknown code, its `about` is `unsaid`. */
export function reasonBy(code: number): ReasonCode {
  const known = RETURN_CODES[code - 1] ?? code
  const [, name, about, lasts] = REASONS.find(([one]) => one === known) ?? UNKNOWN
  return { code, name, about, lasts }
}

/** Returns whether the broker refused this message, or this subscription, permanently. */
export function isPermanentRefusal(
  { about, lasts }: ReasonCode,
  subject: 'message' | 'subscription',
): boolean {
  return lasts === 'good' && about === subject
}

/** Returns the name and code of a reason for the text of an error. */
export function describeReason({ code, name }: ReasonCode): string {
  return `${name} (reason code 0x${code.toString(16).toUpperCase().padStart(2, '0')})`
}

/** Error of a connection that the broker ended or refused with a reason. */
export class ReasonError extends Error {
  readonly reason: ReasonCode

  constructor(reason: ReasonCode, text = `the broker ended the connection: ${describeReason(reason)}`) {
    super(text)
    this.reason = reason
  }
}
