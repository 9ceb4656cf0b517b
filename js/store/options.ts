import * as v from 'valibot'
import type { Logger } from '../foundation/base/logger.js'
import { integer, strict } from '../foundation/base/options/schema.js'
import type { Keyring } from '../signing/keys/keyring.js'
import type { TrustPolicy } from '../signing/keys/trust-policy.js'
import type { VerifyingKeyInput } from '../signing/keys/verifying.js'
import type { Codec } from '../transport/codecs/codec.js'
import type { ScoringPolicy } from '../verifying/score/score.js'
import type { Rejected } from './ingest/ingester.js'
import { type LogOptions, logSchema } from './log/log.js'
import { isPolicy } from './scoring/options.js'

/** Keys and limits of a store. */
export interface StoreOptions {
  /** Keys to trust, or a trust policy: for messages that are given to the store. Subscriptions have their own. */
  readonly keyring: Keyring | TrustPolicy | readonly VerifyingKeyInput[]
  /**
   * True to make the store if there is none. With `false`, a missing store is `CONFIG_INVALID`, so that a mistake in a name makes no new one.
   * Default `true`.
   */
  readonly create?: boolean | undefined
  /** Codec of the messages that are given to the store. Default JSON. */
  readonly codec?: Codec | undefined
  /** True to store messages of the Go, Java, Rust and Python SDKs too. Each key may cost a verification. Default `false`. */
  readonly classic?: boolean | undefined
  /** Policy by which payloads are scored, from `readPolicy` of `alvarium-sdk/score`. Default: `readPolicy({ version: 1 })`. */
  readonly policy?: ScoringPolicy | undefined
  /** Log of the store, with the key that signs its checkpoints. Default: no checkpoints are signed. */
  readonly log?: LogOptions | undefined
  /** Limits of the quarantine for messages of unknown signers. */
  readonly quarantine?: QuarantineOptions | undefined
  /**
   * Milliseconds for each statement, and for each lock that another session holds. After them the call is rejected with `STORE_FAILED`, which
   * names that session. If the server, or the thread of a folder, does not answer for 2 s more, the connection is ended. A process that stops in
   * its transaction loses it after half of this time, and at least 1 s. Statements of `audit`, and steps of the schema, may take an hour.
   * `memory:` and a `PGlite` of yours have no such limits. Default `10_000`.
   */
  readonly queryTimeoutMs?: number | undefined
  /** A logger of pino's shape. Default: none. */
  readonly logger?: Logger | undefined
}

/** Limits of the quarantine for messages of unknown signers. */
export interface QuarantineOptions {
  /** Maximum number of bytes of messages. With more, the oldest are dropped. Default `67_108_864`. */
  readonly maxBytes?: number | undefined
  /** Days after which a message is dropped, when another one is quarantined or with `retryQuarantine()`. Default `30`. */
  readonly maxDays?: number | undefined
}

/** Options of `ingest`. */
export interface IngestOptions {
  /** Callback with each message that does not verify, and the error. Its own errors end the call. Not for subscriptions, which have `rejected`. */
  readonly onRejected?: Rejected | undefined
}

/** The page of limits shows it. */
export const schema = strict({
  classic: v.optional(v.boolean('true or false'), false),
  create: v.optional(v.boolean('true or false'), true),
  quarantine: v.optional(
    strict({
      maxBytes: integer(0, Number.MAX_SAFE_INTEGER, 67_108_864),
      maxDays: integer(1, 36_500, 30),
    }),
    {},
  ),
  queryTimeoutMs: integer(1, 86_400_000, 10_000),
  codec: v.optional(v.custom<Codec>((value) => Object(value) === value, 'a codec')),
  keyring: v.any(),
  log: v.optional(logSchema),
  policy: v.optional(v.custom<ScoringPolicy>(isPolicy, 'a policy of readPolicy')),
  logger: v.optional(v.any()),
})

export const ingestSchema = strict({
  onRejected: v.optional(v.custom<Rejected>((value) => typeof value === 'function', 'a function')),
})
