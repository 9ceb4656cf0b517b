import * as v from 'valibot'
import type { Logger } from '../base/logger.js'
import { integer, strict } from '../base/options/schema.js'
import type { Codec } from '../codecs/codec.js'
import type { JudgingPolicy } from '../judge/judge.js'
import type { Keyring } from '../keys/keyring.js'
import type { TrustPolicy } from '../keys/trust-policy.js'
import type { VerifyingKeyInput } from '../keys/verifying.js'
import type { Rejected } from './ingest.js'
import { isPolicy } from './judging/options.js'
import { type LogOptions, logSchema } from './log/log.js'

/** Whom a store trusts, and its limits. */
export interface StoreOptions {
  /** The keys to trust, or a trust policy: for messages that are given to the store, and not for subscriptions, which have their own. */
  readonly keyring: Keyring | TrustPolicy | readonly VerifyingKeyInput[]
  /**
   * Whether to make the store where there is none. With `false` it is `CONFIG_INVALID` then: so a slip in a name makes no new one. Default `true`.
   */
  readonly create?: boolean | undefined
  /** How messages are written that are given to the store. Default JSON. */
  readonly codec?: Codec | undefined
  /** Whether messages of the Go, Java, Rust and Python SDKs are stored too. Each key may cost a verification. Default `false`. */
  readonly classic?: boolean | undefined
  /** How payloads are scored, as `readPolicy` of `alvarium-sdk/judge` gives it. Default: `readPolicy({ version: 1 })`. */
  readonly policy?: JudgingPolicy | undefined
  /** Who signs checkpoints of the store's log. Default: nobody. */
  readonly log?: LogOptions | undefined
  /** What is kept of signers whom nobody knows yet. */
  readonly quarantine?: QuarantineOptions | undefined
  /**
   * Milliseconds for each statement, and for each lock that another session holds. Then the call is `STORE_FAILED` and names that session. A server that
   * says nothing for 2 s more is given up, or the thread of a folder. A process that stops in its transaction loses it after half of this time, and at least
   * 1 s. Statements of `audit`, and steps of the schema, may take an hour. `memory:` and a `PGlite` of yours know no such limits. Default `10_000`.
   */
  readonly queryTimeoutMs?: number | undefined
  /** A logger of pino's shape. Default: none. */
  readonly logger?: Logger | undefined
}

/** How much is kept of signers whom nobody knows yet, and for how long. */
export interface QuarantineOptions {
  /** Most bytes of messages. Then the oldest go. Default `67_108_864`. */
  readonly maxBytes?: number | undefined
  /** Days after which a message goes, with the next one that is kept, or with `judge()`. Default `30`. */
  readonly maxDays?: number | undefined
}

/** What `ingest` needs to know. */
export interface IngestOptions {
  /** Hears of each message that does not verify, with why. What it throws ends the call. Not for subscriptions, which have `rejected`. */
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
  policy: v.optional(v.custom<JudgingPolicy>(isPolicy, 'a policy of readPolicy')),
  logger: v.optional(v.any()),
})

/** What may be given with a source. */
export const ingestSchema = strict({
  onRejected: v.optional(v.custom<Rejected>((value) => typeof value === 'function', 'a function')),
})
