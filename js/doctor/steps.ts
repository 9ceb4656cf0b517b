/** What a check tries, in words for people. */
export const STEPS = {
  subscribeQos: 'QoS of a subscription',
  publishQos: 'QoS of a message',
  software: 'the kind of broker',
  roundTrip: 'round trips',
  takeover: 'two clients with one clientId',
  backlog: 'messages for a subscriber that is away',
  retained: 'a retained message',
  sharing: 'messages for a group',
  size: 'a large message',
} as const

/** One of them. */
export type Step = (typeof STEPS)[keyof typeof STEPS]
