import { type Finding, IncompleteEvent } from '../consume/findings.js'
import type { ReceivedBundle, ReceivedClassic } from '../consume/received.js'
import type { Watcher } from '../consume/watch.js'
import type { ReceiveOptions } from '../streams/mqtt/options.js'
import { receive } from '../streams/mqtt/receive.js'
import type { Reception } from '../streams/mqtt/reception.js'
import {
  type MixedSubscribeOptions,
  readSubscribeOptions,
  type SubscribeOptions,
  type SubscribeSettings,
} from './options.js'
import type { Subscription } from './subscription.js'
import { VerifiedSubscription } from './verified.js'

/**
 * Subscribes to an MQTT broker and verifies every message. The broker keeps what comes, under `clientId`, until the loop has
 * asked for the next one: nothing is lost when the process or the connection dies, and with `dedup` nothing comes twice. That
 * needs a broker that keeps all it has acknowledged: Mosquitto with `max_queued_messages 0` (its default drops all but 1,000
 * messages for a subscriber that is away), RabbitMQ up to 3.12 with `mqtt.subscription_ttl = infinity` (its default forgets a subscriber
 * after a day). `checkBroker` of `alvarium-sdk/doctor` tries it. At most `prefetch` messages are here at a time: a slow loop slows
 * the broker down, nothing piles up.
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
  const { where, logger, wanted, watch } = settings
  const reception = receive(where, logger, wanted?.topic)
  const watcher = watch && watching(watch, reception, where)
  return new VerifiedSubscription(reception, settings, watcher)
}

/** Sees all that comes, and tells what does not. */
function watching(
  watch: NonNullable<SubscribeSettings['watch']>,
  reception: Reception,
  { group }: ReceiveOptions,
): Watcher {
  let isOnline = false
  const watcher = watch.begin({
    isGroup: group !== undefined,
    isBehind: () => !isOnline || reception.isFull,
    found: (finding: Finding) => reception.dispatchEvent(new IncompleteEvent(finding)),
  })
  reception.addEventListener('online', () => {
    isOnline = true
    watcher.listens()
  })
  reception.addEventListener('offline', () => {
    isOnline = false
  })
  return watcher
}
