import { readReceiveOptions } from '../../transport/streams/mqtt/options.js'
import type { ReceivedBundle, ReceivedClassic } from '../../verifying/consume/received.js'
import { LazySubscription } from './lazy-subscription.js'
import { type MixedSubscribeOptions, readSubscribeOptions, type SubscribeOptions } from './options.js'
import type { Subscription } from './subscription.js'

/**
 * Subscribes to an MQTT broker and verifies every message. The broker stores messages under `clientId` until
 * the loop has asked for the next one, so nothing is lost when the process or the connection dies. With
 * `dedup`, no bundle is delivered twice. At most `prefetch` messages are in memory, so a slow loop is
 * backpressure for the broker.
 *
 * The broker must store every message that it has acknowledged. For Mosquitto set `max_queued_messages 0`,
 * because the default drops all but 1,000 messages for an offline subscriber. RabbitMQ works up to 3.12 with
 * `mqtt.subscription_ttl = infinity`, because the default forgets a subscriber after a day. `checkBroker` of
 * `alvarium-command/doctor` checks a broker.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option, `KEY_INVALID`
 *
 * @example
 * ```ts
 * const bundles = subscribe({ url: 'wss://broker:8084/mqtt', topic: 'alvarium-topic', clientId: 'archive-1', keyring })
 * bundles.addEventListener('rejected', ({ error }) => console.warn(error.code, error.message))
 * for await (const bundle of bundles) console.log(bundle.action, bundle.key)
 * ```
 *
 * @example
 * ```ts
 * for await (const one of subscribe({ url, topic, clientId: 'archive-1', keyring, classic: true })) {
 *   if (one.format === 'bundle') record(one.key, one.annotations)
 *   else for (const verdict of one.annotations) if (verdict.status === 'fulfilled') record(verdict.value.key, [verdict.value])
 * }
 * ```
 */
export function subscribe(options: MixedSubscribeOptions): Subscription<ReceivedBundle | ReceivedClassic>
export function subscribe(options: SubscribeOptions): Subscription
export function subscribe(
  options: SubscribeOptions & { readonly classic?: MixedSubscribeOptions['classic'] | false | undefined },
): Subscription<ReceivedBundle | ReceivedClassic> {
  const settings = readSubscribeOptions(options)
  return new LazySubscription(settings, readReceiveOptions(settings.receive))
}
