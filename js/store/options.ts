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

/** Configures a store: keys, log and limits. */
export interface StoreOptions {
  /** Trusted keys or trust policy for messages passed to the store. Subscriptions have their own. */
  readonly keyring: Keyring | TrustPolicy | readonly VerifyingKeyInput[]
  /** True to create a missing store. With `false`, a missing store is `CONFIG_INVALID`. Default `true`. */
  readonly create?: boolean | undefined
  /** Codec of the messages that are passed to the store. Default JSON. */
  readonly codec?: Codec | undefined
  /** True to store messages of the Go, Java, Rust and Python SDKs, which verify more slowly. Default `false`. */
  readonly classic?: boolean | undefined
  /** Policy for scores, from `readPolicy` of `alvarium-sdk/score`. Default: `readPolicy({ version: 1 })`. */
  readonly policy?: ScoringPolicy | undefined
  /** Log of the store, with the key that signs its checkpoints. Default: no checkpoints are signed. */
  readonly log?: LogOptions | undefined
  /** Limits of the quarantine for messages of unknown signers. */
  readonly quarantine?: QuarantineOptions | undefined
  /**
   * Time limit in milliseconds for each statement, and for each wait for a lock of another session. After
   * this time, the call is rejected with `STORE_FAILED`. The error names the session that holds a lock, if
   * the server shows that session. If the server, or the thread of PGlite, does not answer for another 2 s,
   * the connection is ended, unless you passed the connection. A process that freezes in a transaction loses
   * the transaction after half of the time limit, but not before 1 s. Statements of `audit` and of schema
   * migrations may take an hour. `memory:` and your own `PGlite` have no such limits. Default `10_000`.
   */
  readonly queryTimeoutMs?: number | undefined
  /** Logger with the interface of pino. Default: none. */
  readonly logger?: Logger | undefined
}

/** Limits of the quarantine for messages of unknown signers. */
export interface QuarantineOptions {
  /** Maximum number of bytes of messages. With more, the oldest messages are dropped. Default `67_108_864`. */
  readonly maxBytes?: number | undefined
  /**
   * Maximum number of days in quarantine. Older messages are dropped, up to an hour late, when another
   * message is quarantined or `retryQuarantine()` runs. Default `30`.
   */
  readonly maxDays?: number | undefined
}

/** Options of `ingest` for messages from an iterable. */
export interface IngestOptions {
  /**
   * Callback that receives each rejected message, and the error. Messages of unknown signers are quarantined,
   * and not rejected. If the callback throws, the call ends. It is not called for subscriptions, which have
   * their own `rejected`.
   */
  readonly onRejected?: Rejected | undefined
}

/** Valibot schema of {@link StoreOptions}. It is exported for the documentation page of limits. */
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
