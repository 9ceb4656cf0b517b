import * as v from 'valibot'
import { describe, expected } from '../base/errors.js'
import { type Logger, safeLogger } from '../base/logger.js'
import { assertNames } from '../base/options/names.js'
import { oneOf, readOptions, strict } from '../base/options/schema.js'
import type { ClassicWishes } from '../classic/received.js'
import type { Codec } from '../codecs/codec.js'
import { type LeaseSettings, readLeaseOptions, type SubscribedLeases } from '../consume/lease-options.js'
import {
  CONSUME_OPTIONS,
  type ConsumeOptions,
  type ConsumeSettings,
  readConsumeOptions,
} from '../consume/options.js'
import type { ConsumerUser } from '../consume/user.js'
import { type CompletenessWatch, WATCH } from '../consume/watch.js'
import { type Keyring, keyringOf } from '../keys/keyring.js'
import { isTrustPolicy, type TrustPolicy } from '../keys/trust-policy.js'
import type { VerifyingKeyInput } from '../keys/verifying.js'
import { type Durability, RECEIVE_OPTIONS, type ReceiveOptions } from '../streams/mqtt/options.js'

/** The options of a subscription, one by one. {@link SubscribeOptions} says which of them go together. */
export interface SubscriptionOptions extends ReceiveOptions, ConsumeOptions {
  /** The keys to trust; or a trust policy, which judges by when each message came here. */
  readonly keyring: Keyring | TrustPolicy | readonly VerifyingKeyInput[]
  /** How messages are written. Default JSON. */
  readonly codec?: Codec | undefined
  /** A logger of pino's shape. Default: none. */
  readonly logger?: Logger | undefined
  /**
   * Takes the leases that SDKs publish (`leased` of `alvarium-sdk/trust`), and with them what keys sign that the trust policy does not
   * have. `true`: from the topic `<topic>/signers` beside each topic; see {@link SubscribedLeases}. Needs a trust policy. Default: none.
   *
   * A bundle that comes before its lease waits for it: at most 10 s, and at most 1,000 messages of 8 MiB together, 64 of one key id, and half
   * of `prefetch`. Whatever is over that is rejected as `SIGNER_UNKNOWN`, the oldest first. Nothing else waits for it.
   *
   * With `completeness` too, what came after its lease had ended is good if it lies in a log that a lease states: its `signedBy.time` is
   * `'logged'`. It waits in the same way for the checkpoints and the lease that prove it.
   */
  readonly leases?: true | SubscribedLeases | undefined
  /**
   * Finds what signers signed and what does not come, by their checkpoints: `completeness()` of `alvarium-sdk/completeness`. It subscribes
   * to the topics of the checkpoints too. Default: nobody looks.
   */
  readonly completeness?: CompletenessWatch | undefined
}

/** Options of `subscribe`: where to listen, whom to trust, and a `clientId`, or `durable: false` if nothing is kept for the subscriber. */
export type SubscribeOptions = SubscriptionOptions & Durability

/** The same for topics on which other Alvarium SDKs publish too. */
export type MixedSubscribeOptions = SubscribeOptions & {
  /**
   * Delivers messages of the Go, Java, Rust and Python SDKs too, as {@link verifyClassic} verifies them: each annotation has a verdict of
   * its own. A message is delivered if at least one of them verifies, and `rejected` otherwise. Its annotations do not name their
   * keys, so each key may cost a verification: keep the keyring small.
   *
   * What Go's SDK announces of its Hedera topics (`broadcast`, `end-stream`) is passed over, acknowledged and counted
   * ({@link Subscription.passedOver}). So are empty lists, which nobody signed, with `{ emptyLists: 'pass' }`; default `'reject'`.
   */
  readonly classic: true | { readonly emptyLists?: 'reject' | 'pass' | undefined }
}

const wishes = strict({ emptyLists: v.optional(oneOf(['reject', 'pass']), 'reject') })

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

/** @internal What the options say, with every default filled in. */
export interface SubscribeSettings extends Pick<ConsumerUser, 'trust' | 'classic'> {
  /** The topics, with those of checkpoints if somebody looks at them. */
  readonly where: ReceiveOptions
  readonly consume: ConsumeSettings
  /** Which leases are taken. Default: none. */
  readonly wanted: LeaseSettings | undefined
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
  if (wanted && !isPolicy) throw expected('CONFIG_INVALID', 'leases', 'a trust policy as keyring', 'keys')
  const watch = completeness === undefined ? undefined : watchIn(completeness)
  const topics = [where.topic].flat()
  const watched = watch ? { ...where, topic: [...topics, ...watch.topics(topics)] } : where
  return {
    where: watched,
    consume,
    trust,
    classic: wishesOf(classic),
    wanted,
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

function wishesOf(classic: unknown): ClassicWishes | undefined {
  if (classic === false) return undefined
  if (classic === true) return { emptyLists: 'reject' }
  if (typeof classic === 'object' && classic !== null) return readOptions(wishes, classic, 'classic')
  const those = 'true, false or an object with emptyLists'
  throw expected('CONFIG_INVALID', 'classic', those, describe(classic))
}
