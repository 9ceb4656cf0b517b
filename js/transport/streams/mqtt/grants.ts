import type { IConnackPacket } from 'mqtt'
import { AlvariumError } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import { utf8Length } from '../../../foundation/base/text/text.js'
import type { Link } from './link.js'
import type { MqttSettings, ReceiveSettings } from './options.js'

/** Properties of CONNACK with the broker's limits (MQTT 5, 3.2.2.3). An absent property means no limit. */
type Grants = NonNullable<IConnackPacket['properties']>

/** Check of one option: whether the broker forbids it, the allowed value, and the limit in CONNACK. */
type Requirement = readonly [isImpossible: boolean, expected: string, got: string]

/** Session Expiry Interval of a session that never expires (MQTT 5, 3.1.2.11.2). */
export const NEVER_EXPIRES = 0xffff_ffff

/** Returns a `STREAM_REFUSED` error for the first option that the broker does not allow, or undefined. */
export function whyNotPublishable(
  { grants, maximumPacketSize, version }: Link,
  settings: MqttSettings,
): AlvariumError | undefined {
  const { qos, retain, topic, noSubscribers } = settings
  const { maximumQoS = 2, retainAvailable = true } = grants
  const longest = Math.max(...topic.map(utf8Length))
  return firstFailure([
    [qos > maximumQoS, `qos: expected ${maximumQoS} or less`, `Maximum QoS ${maximumQoS}`],
    [retain && !retainAvailable, 'retain: expected false', 'Retain Available 0'],
    [noSubscribers === 'wait' && version === 4, 'noSubscribers: expected accept', 'MQTT 3.1.1'],
    [
      longest >= maximumPacketSize,
      `topic: expected less than ${maximumPacketSize} bytes`,
      `Maximum Packet Size ${maximumPacketSize}`,
    ],
    pingRequirement(grants, settings),
  ])
}

/**
 * Returns an error for the first option that the broker does not allow. Logs a warning if the broker ends a
 * durable subscription after some time.
 */
export function whyNotSubscribable(
  { grants }: Link,
  settings: ReceiveSettings,
  logger: Logger,
): AlvariumError | undefined {
  const { clean, clientId, group, topic } = settings
  const { sessionExpiryInterval = NEVER_EXPIRES, assignedClientIdentifier: assigned = clientId } = grants
  const { sharedSubscriptionAvailable = true, wildcardSubscriptionAvailable = true } = grants
  const isKept = sessionExpiryInterval > 0
  if (!clean && isKept && sessionExpiryInterval < NEVER_EXPIRES)
    logger.warn(
      { seconds: sessionExpiryInterval },
      'mqtt: the broker keeps a subscription no longer than that',
    )
  const hasPattern = topic.some((filter) => /[+#]/.test(filter))
  return firstFailure([
    [!clean && !isKept, 'durable: expected false', 'Session Expiry Interval 0'],
    [
      !clean && assigned !== clientId,
      `clientId: expected ${JSON.stringify(assigned)}`,
      'another name assigned',
    ],
    [
      group !== undefined && !sharedSubscriptionAvailable,
      'group: cannot be used',
      'Shared Subscription Available 0',
    ],
    [
      hasPattern && !wildcardSubscriptionAvailable,
      'topic: expected filters without + and #',
      'Wildcard Subscription Available 0',
    ],
    pingRequirement(grants, settings),
  ])
}

/** Requires pings if the broker sets Server Keep Alive. mqtt.js ignores that property when pings are off. */
function pingRequirement(
  { serverKeepAlive = 0 }: Grants,
  { keepAliveSeconds }: { keepAliveSeconds: number },
): Requirement {
  const isImpossible = keepAliveSeconds === 0 && serverKeepAlive > 0
  return [
    isImpossible,
    `keepAliveSeconds: expected ${serverKeepAlive}`,
    `Server Keep Alive ${serverKeepAlive}`,
  ]
}

function firstFailure(checks: readonly Requirement[]): AlvariumError | undefined {
  const [, expected, got] = checks.find(([isImpossible]) => isImpossible) ?? []
  if (expected === undefined) return undefined
  const text = `${expected} with this broker (${got} in CONNACK): change the option, or the broker's settings`
  return new AlvariumError('STREAM_REFUSED', text)
}
