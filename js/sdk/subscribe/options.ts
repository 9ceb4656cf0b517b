import * as v from 'valibot'
import { describe, expected, needs } from '../../foundation/base/errors.js'
import { type Logger, safeLogger } from '../../foundation/base/logger.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { oneOf, readOptions, strict } from '../../foundation/base/options/schema.js'
import { keyringOf } from '../../signing/keys/key-lists.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import { isTrustPolicy, type TrustPolicy } from '../../signing/keys/trust-policy.js'
import type { VerifyingKeyInput } from '../../signing/keys/verifying.js'
import type { Codec } from '../../transport/codecs/codec.js'
import {
  type Durability,
  RECEIVE_OPTIONS,
  type ReceiveOptions,
} from '../../transport/streams/mqtt/options.js'
import type { ClassicSettings } from '../../verifying/classic/received.js'
import {
  type LeaseSettings,
  readLeaseOptions,
  type SubscribedLeases,
} from '../../verifying/consume/lease-options.js'
import {
  CONSUME_OPTIONS,
  type ConsumeOptions,
  type ConsumeSettings,
  readConsumeOptions,
} from '../../verifying/consume/options.js'
import type { ConsumerContext } from '../../verifying/consume/user.js'
import { type CompletenessWatch, WATCH } from '../../verifying/consume/watch.js'

/** Settings of a subscription, to which {@link SubscribeOptions} adds `clientId` or `durable: false`. */
export interface SubscriptionOptions extends ReceiveOptions, ConsumeOptions {
  /** Trusted public keys, or a trust policy, which considers the time of receipt of each message. */
  readonly keyring: Keyring | TrustPolicy | readonly VerifyingKeyInput[]
  /** Codec of the messages. Default: JSON. */
  readonly codec?: Codec | undefined
  /** Logger in the form of pino. Default: no logs. */
  readonly logger?: Logger | undefined
  /**
   * Leases that SDKs publish (`leased` of `alvarium-sdk/trust`), which permit keys that are not in the trust
   * policy. `true` reads leases from the topic `<topic>/signers` for each topic; see {@link
   * SubscribedLeases}. Needs a trust policy. Default: none.
   *
   * A bundle that arrives before its lease waits at most 10 s for the lease. No more than 1,000 messages wait
   * (at most half of `prefetch`), of 8 MiB in total, and no more than 64 with one key id. Beyond these limits, the
   * oldest messages are rejected as `SIGNER_UNKNOWN`. All other messages are delivered without a wait.
   *
   * If `completeness` is set too, a message may arrive after the end of its lease. It is valid if a lease
   * states the size and root of the signer's log, and checkpoints show that the log contains the message. Its
   * `signedBy.time` is then `'logged'`. The message waits for this proof, within the same limits.
   */
  readonly leases?: true | SubscribedLeases | undefined
  /**
   * Search for missing messages, based on the signers' checkpoints: `completeness()` of `alvarium-sdk/completeness`.
   * The subscription then receives the topics of the checkpoints too. Default: no search.
   */
  readonly completeness?: CompletenessWatch | undefined
}

/**
 * Settings for `subscribe`: topics, trusted keys, and a `clientId`, or `durable: false` if the broker stores
 * nothing for the subscriber.
 */
export type SubscribeOptions = SubscriptionOptions & Durability

/** Settings for `subscribe` with topics on which other Alvarium SDKs publish too. */
export type MixedSubscribeOptions = SubscribeOptions & {
  /**
   * True, or settings, to deliver messages of the Go, Java, Rust and Python SDKs too, verified by {@link
   * verifyClassic}. A message is delivered if at least one annotation verifies, and `rejected` otherwise.
   * Annotations do not name their keys, so each key may be tried: use a small keyring.
   *
   * Announcements of the Go SDK about its Hedera topics (`broadcast`, `end-stream`) are skipped,
   * acknowledged and counted ({@link Subscription.skipped}). With `{ emptyLists: 'pass' }`, messages without
   * annotations are skipped too. By default (`'reject'`), they are `rejected`, because nothing in them is
   * signed.
   */
  readonly classic: true | { readonly emptyLists?: 'reject' | 'pass' | undefined }
}

const classicSchema = strict({ emptyLists: v.optional(oneOf(['reject', 'pass']), 'reject') })

const NAMES = [
  'keyring',
  'codec',
  'logger',
  'classic',
  'leases',
  'completeness',
  ...CONSUME_OPTIONS,
  ...RECEIVE_OPTIONS,
]

/** @internal Validated options with their defaults. */
export interface SubscribeSettings extends Pick<ConsumerContext, 'trust' | 'classic'> {
  /** MQTT settings. If the option `completeness` is set, their topics include the topics of checkpoints. */
  readonly receive: ReceiveOptions
  readonly consume: ConsumeSettings
  /** Settings of leases; undefined if leases are not read. */
  readonly leases: LeaseSettings | undefined
  readonly watch: CompletenessWatch[typeof WATCH] | undefined
  readonly logger: Logger
}

/** @internal Validates options. @throws AlvariumError `CONFIG_INVALID` naming the option, `KEY_INVALID` */
export function readSubscribeOptions(
  options: SubscribeOptions & { readonly classic?: MixedSubscribeOptions['classic'] | false | undefined },
): SubscribeSettings {
  assertNames(options, NAMES)
  const { keyring, codec, logger, classic = false, leases, completeness, ...more } = options
  const { ack, dedup, deadLetter, deadLetterTimeoutMs, closeTimeoutMs, signal, ...where } = more
  const consume = readConsumeOptions({ ack, dedup, deadLetter, deadLetterTimeoutMs, closeTimeoutMs, signal })
  const isPolicy = isTrustPolicy(keyring)
  const trust = { keyring: isPolicy ? keyring : keyringOf(keyring), codec }
  const wanted = leases && readLeaseOptions(leases, where)
  if (wanted && !isPolicy) throw needs('leases', 'a trust policy in the option keyring')
  const watch = completeness === undefined ? undefined : watchIn(completeness)
  const topics = [where.topic].flat()
  const watched = watch ? { ...where, topic: [...topics, ...watch.topics(topics)] } : where
  return {
    receive: watched,
    consume,
    trust,
    classic: classicSettings(classic),
    leases: wanted,
    watch,
    logger: safeLogger(logger),
  }
}

function watchIn(completeness: CompletenessWatch): CompletenessWatch[typeof WATCH] {
  const watch: CompletenessWatch[typeof WATCH] | undefined = Object(completeness)[WATCH]
  if (watch) return watch
  const those = 'completeness() of alvarium-sdk/completeness'
  throw expected('CONFIG_INVALID', 'completeness', those, describe(completeness))
}

function classicSettings(classic: unknown): ClassicSettings | undefined {
  if (classic === false) return undefined
  if (classic === true) return { emptyLists: 'reject' }
  if (typeof classic === 'object' && classic !== null) return readOptions(classicSchema, classic, 'classic')
  const those = 'true, false or an object with emptyLists'
  throw expected('CONFIG_INVALID', 'classic', those, describe(classic))
}
