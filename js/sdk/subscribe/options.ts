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

/** Options of a subscription, one by one. {@link SubscribeOptions} requires a durability in addition. */
export interface SubscriptionOptions extends ReceiveOptions, ConsumeOptions {
  /** Trusted keys; or a trust policy, which takes into account the time of receipt of each message. */
  readonly keyring: Keyring | TrustPolicy | readonly VerifyingKeyInput[]
  /** Codec of the messages. Default: JSON. */
  readonly codec?: Codec | undefined
  /** Logger of pino's shape. Default: none. */
  readonly logger?: Logger | undefined
  /**
   * Leases that SDKs publish (`leased` of `alvarium-sdk/trust`), which permit keys that are not in the trust policy.
   * `true`: from the topic `<topic>/signers` next to each topic; see {@link SubscribedLeases}. Needs a trust policy.
   * Default: none.
   *
   * A bundle that arrives before its lease waits for it: at most 10 s. The limits are 1,000 messages of 8 MiB in
   * total, 64 of one key id, and half of `prefetch`. Messages beyond that are rejected as `SIGNER_UNKNOWN`, the oldest
   * first. Nothing else waits for it.
   *
   * With `completeness` too, a message that arrives after its lease had ended is valid if it lies in a log that a
   * lease states. Its `signedBy.time` is then `'logged'`. It waits in the same way for the checkpoints and the lease
   * that prove it.
   */
  readonly leases?: true | SubscribedLeases | undefined
  /**
   * Watch for missing messages, by the signers' checkpoints: `completeness()` of `alvarium-sdk/completeness`. It also
   * subscribes to the topics of the checkpoints. Default: no watch.
   */
  readonly completeness?: CompletenessWatch | undefined
}

/**
 * Options of `subscribe`: topics, trusted keys, and a `clientId`, or `durable: false` if the broker keeps nothing for
 * the subscriber.
 */
export type SubscribeOptions = SubscriptionOptions & Durability

/** Options of `subscribe` for topics on which other Alvarium SDKs publish too. */
export type MixedSubscribeOptions = SubscribeOptions & {
  /**
   * Messages of the Go, Java, Rust and Python SDKs, delivered too, as {@link verifyClassic} verifies them: each
   * annotation has its own verdict. A message is delivered if at least one of them verifies, and `rejected` otherwise.
   * Annotations do not name their keys, so each key may take a verification: use a small keyring.
   *
   * Announcements of the Go SDK about its Hedera topics (`broadcast`, `end-stream`) are skipped, acknowledged and
   * counted ({@link Subscription.skipped}). With `{ emptyLists: 'pass' }`, empty lists, which are not signed, are
   * skipped too; default `'reject'`.
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

/** @internal Options with every default filled in. */
export interface SubscribeSettings extends Pick<ConsumerContext, 'trust' | 'classic'> {
  /** Options of reception, with the topics of checkpoints if there is a watch. */
  readonly receive: ReceiveOptions
  readonly consume: ConsumeSettings
  /** Settings of leases. Default: leases are not read. */
  readonly leases: LeaseSettings | undefined
  readonly watch: CompletenessWatch[typeof WATCH] | undefined
  readonly logger: Logger
}

/** @internal @throws AlvariumError `CONFIG_INVALID` naming the option, `KEY_INVALID` */
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
  if (wanted && !isPolicy) throw needs('leases', 'a trust policy as keyring, in place of keys')
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
