import * as v from 'valibot'
import { conflicts } from '../../foundation/base/errors.js'
import { type Logger, safeLogger, silentLogger } from '../../foundation/base/logger.js'
import {
  integer,
  MAX_TIMEOUT_MS,
  readOptions,
  strict,
  withMethods,
} from '../../foundation/base/options/schema.js'
import { isWellFormed } from '../../foundation/base/text/text.js'
import { MaxCount } from '../../foundation/core/core.js'
import { ACTIONS, HASHES, type HashName, LAYERS, type Layer } from '../../foundation/model/bundle.js'
import { ENGINES, type Engine } from '../../foundation/model/payload.js'
import type { WorkerPool } from '../../foundation/model/worker-pool.js'
import type { AnyAnnotator, PayloadContext } from '../../signing/annotators/annotator.js'
import { CALL_OPTIONS } from '../../signing/annotators/annotator-set.js'
import type { LeasedKey } from '../../signing/keys/leased-key.js'
import type { Signer, WebCryptoKeyPair } from '../../signing/keys/signer.js'
import type { SigningKeyInput } from '../../signing/keys/signing.js'
import { hostAndTagOf } from '../../signing/seal/host-and-tag.js'
import { type Checkpoints, OPEN_RUNS } from '../../signing/seal/log.js'
import type { Codec } from '../../transport/codecs/codec.js'
import { json } from '../../transport/codecs/json.js'
import type { StreamProvider } from '../../transport/streams/stream.js'

/** Limits of a batch. A batch is published when it reaches one of them, or when the SDK is closed. */
export interface BatchOptions {
  /** Maximum number of bundles in a batch, 1 to 65,536. Default 256. */
  readonly maxBundles?: number | undefined
  /** Milliseconds for which the first call of a batch waits for further calls. Default 10. */
  readonly maxDelayMs?: number | undefined
  /**
   * Maximum bytes of a batch's message, up to 8 MiB. Default 1 MiB. A message can exceed this limit if a
   * bundle is longer than all earlier ones.
   */
  readonly maxBytes?: number | undefined
}

/** Settings of an SDK for `openSdk`. Only `signingKey`, `annotators` and `stream` have no default. */
export interface SdkOptions<Annotators extends readonly AnyAnnotator[] = readonly AnyAnnotator[]> {
  /**
   * Key that signs every bundle: a private key in any usual form, a WebCrypto key pair, or your own `Signer`.
   * For a key that signs under leases, see `leased` of `alvarium-sdk/trust`.
   */
  readonly signingKey: SigningKeyInput | WebCryptoKeyPair | Signer | LeasedKey
  /**
   * Annotators, at most 32. Each bundle has their answers in this order. The logger warns of two annotators
   * of the same kind, and of an empty array, because bundles then state nothing.
   */
  readonly annotators: Annotators
  /**
   * Kinds of annotators that this SDK does not have, but whose inputs calls may still pass, because another
   * config has these annotators. `fromConfig` sets this option. Default: none, so that an unused input is
   * refused.
   */
  readonly otherKinds?: readonly string[] | undefined
  /** Destination of the messages, such as `mqtt(…)` or `outbox(…)`. The SDK connects and closes it. */
  readonly stream: StreamProvider
  /** Layer of the stack in which this code runs. Default `app`. */
  readonly layer?: Layer | undefined
  /** Hash that turns payloads into payload keys. Default `sha256`. */
  readonly hash?: HashName | undefined
  /**
   * Engine that hashes payloads and signs bundles, see {@link Engine}. `host` signs with the platform's
   * Ed25519 or P-256, in browsers with WebCrypto. Default `auto`.
   */
  readonly engine?: Engine | undefined
  /**
   * Name of this machine in bundles, at most 255 bytes. Default: the host name of the system or of the page;
   * empty if reading the name is not permitted (Deno without `--allow-sys`).
   */
  readonly host?: string | undefined
  /**
   * Tag by which annotations can be found, at most 1,024 bytes. Default: the environment variable `TAG` for
   * layer `app`, if it may be read; the host name for `os` and `host`; otherwise none. With the codec
   * `classic`, the dialects of Java and Rust have a default only for `app`, and the dialect of Python has
   * none.
   */
  readonly tag?: string | undefined
  /** Milliseconds after which an annotator that has not answered counts as not satisfied. Default 5,000. */
  readonly annotatorTimeoutMs?: number | undefined
  /**
   * Milliseconds in which a `Signer` must answer, in `classic` too. Otherwise it has failed. Default 10,000.
   */
  readonly signerTimeoutMs?: number | undefined
  /** Milliseconds in which your own codec must answer. Otherwise it has failed. Default 10,000. */
  readonly codecTimeoutMs?: number | undefined
  /**
   * Milliseconds in which the stream must accept a message. Otherwise the call rejects with `STREAM_TIMEOUT`.
   * Default: only the stream's own limit, which is `publishTimeoutMs` for `mqtt`.
   */
  readonly streamTimeoutMs?: number | undefined
  /**
   * Milliseconds in which the stream must connect. Otherwise `openSdk` rejects with `STREAM_TIMEOUT`, and the
   * stream's signal aborts. Default: only the stream's own limit, which is `connectTimeoutMs` for `mqtt`. For
   * an outbox, this option limits only the opening of its store.
   */
  readonly connectTimeoutMs?: number | undefined
  /**
   * Milliseconds that `close()` waits for calls in progress, and then again for the codec and the stream to
   * close. Use at least the `closeTimeoutMs` of `mqtt`, and four times the `closeTimeoutMs` of an outbox.
   * Default 30,000.
   */
  readonly closeTimeoutMs?: number | undefined
  /** Logger in the form of pino, see {@link Logger}. Default: no logs. */
  readonly logger?: Logger | undefined
  /** Codec of messages: `json()`, `cbor()`, or your own. Default JSON. */
  readonly codec?: Codec | undefined
  /**
   * Batching of calls: many calls share one signature and one message. This is several times faster, but each
   * call waits for its batch. Default: a message for each call. See {@link BatchOptions}.
   */
  readonly batch?: BatchOptions | undefined
  /**
   * Worker pool that signs bundles on all cores, see `alvarium-sdk/pool`. Annotators stay in this thread.
   * Each worker receives the private key, so the key cannot be a `Signer`. With `batch`, and in `createMany`,
   * this thread signs the calls, because a transfer would cost as much as the remaining work.
   */
  readonly pool?: WorkerPool | undefined
  /**
   * Checkpoints of the messages that this SDK signs, with which readers find missing messages:
   * `checkpoints()` of `alvarium-sdk/completeness`. Excludes the codec `classic`. Default: none.
   */
  readonly checkpoints?: Checkpoints | undefined
  /** Signal that cancels `openSdk` while the stream connects. */
  readonly signal?: AbortSignal | undefined
}

/** Returns whether a text has no lone surrogates. All lone surrogates would be signed as the same UTF-8. */
const isUnicode = (value: string) => isWellFormed(value)
/**
 * Returns whether a text is short enough to copy into the core. The core's memory grows for long texts, and
 * never shrinks.
 */
const isShort = ({ length }: string) => length <= 65_536
const text = v.pipe(
  v.string('a string'),
  v.check(isShort, 'a string of at most 65,536 characters'),
  v.check(isUnicode, 'a string without lone surrogates'),
)
const actions = v.optional(
  v.array(v.picklist(ACTIONS, 'create, mutate, transit or publish'), 'an array of actions'),
)
const NEEDS: readonly unknown[] = ['payload', 'key', 'nothing']
const annotator = v.pipe(
  withMethods<AnyAnnotator>('an annotator with kind and isSatisfied()', 'isSatisfied'),
  v.check(
    ({ kind }) => typeof kind === 'string' && kind !== '' && isShort(kind) && isUnicode(kind),
    'an annotator whose kind is text, at most 65,536 characters',
  ),
  v.check(
    ({ kind }) => !CALL_OPTIONS.has(kind),
    ({ input: { kind } }) => `a kind other than ${kind}, which is ${CALL_OPTIONS.get(kind)}`,
  ),
  v.check(
    ({ needs }) => needs === undefined || NEEDS.includes(needs),
    `an annotator whose needs, if any, are ${NEEDS.join(', ')}`,
  ),
  v.check(
    (annotator) => v.is(actions, annotator.actions),
    'an annotator whose actions, if any, are an array of create, mutate, transit or publish',
  ),
  v.transform(asRead),
)

/** Copies an annotator, so that its kind, needs and actions cannot change or throw during a call. */
function asRead(annotator: AnyAnnotator): AnyAnnotator {
  const { kind, needs, actions } = annotator
  return {
    kind,
    ...(needs && { needs }),
    ...(actions && { actions: [...actions] }),
    isSatisfied: (context: PayloadContext<never>) => annotator.isSatisfied(context),
  } as AnyAnnotator
}

const batch = strict({
  maxBundles: integer(1, MaxCount.Bundles, 256),
  maxDelayMs: integer(0, MAX_TIMEOUT_MS, 10),
  maxBytes: integer(1, 8 * 1024 * 1024, 1024 * 1024),
})

/** Batch limits of `createMany`. The delay is long, so that no timer ends a batch early on a slow machine. */
export const BATCH_OF_MANY = v.parse(batch, { maxDelayMs: 1000 })

/** Valibot schema of a pool. Does not use `instanceof`, which would load the code of pools into every SDK. */
const pool = v.custom<WorkerPool>(
  (value) => typeof value === 'object' && value !== null && 'workers' in value && 'open' in value,
  'a pool that was opened with pool()',
)

/** Valibot schema of `checkpoints`. Does not use `instanceof`, which would load its code into every SDK. */
const checkpoints = v.custom<Checkpoints>(
  (value) => typeof value === 'object' && value !== null && OPEN_RUNS in value,
  'what checkpoints() has made',
)

/** Valibot schema of {@link SdkOptions}. The guide's page of limits is generated from it. */
export const schema = strict({
  signingKey: v.custom<SigningKeyInput | WebCryptoKeyPair | Signer | LeasedKey>(
    (value) => (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null),
    'a private key, a CryptoKeyPair or a Signer',
  ),
  annotators: v.array(annotator, 'an array of annotators'),
  otherKinds: v.optional(v.array(v.string('a kind'), 'an array of kinds'), []),
  stream: withMethods<StreamProvider>('a stream with publish()', 'publish'),
  layer: v.optional(v.picklist(LAYERS, 'app, cicd, os or host'), 'app'),
  hash: v.optional(v.picklist(HASHES, 'sha256, md5 or none'), 'sha256'),
  engine: v.optional(v.picklist(ENGINES, 'auto, wasm or host'), 'auto'),
  host: v.optional(text),
  tag: v.optional(text),
  annotatorTimeoutMs: integer(1, MAX_TIMEOUT_MS, 5000),
  signerTimeoutMs: integer(1, MAX_TIMEOUT_MS, 10_000),
  codecTimeoutMs: integer(1, MAX_TIMEOUT_MS, 10_000),
  streamTimeoutMs: v.optional(integer(1, MAX_TIMEOUT_MS, 1)),
  connectTimeoutMs: v.optional(integer(1, MAX_TIMEOUT_MS, 1)),
  closeTimeoutMs: integer(1, MAX_TIMEOUT_MS, 30_000),
  logger: v.optional(
    v.pipe(
      withMethods<Logger>('a logger with debug, info, warn and error', 'debug', 'info', 'warn', 'error'),
      v.transform((logger) => safeLogger(logger)),
    ),
    silentLogger,
  ),
  codec: v.optional(
    v.pipe(
      withMethods<Codec>('a codec with contentType, encode() and decode()', 'encode', 'decode'),
      v.check(
        ({ contentType }) => typeof contentType === 'string' && contentType !== '',
        'a codec whose contentType is text, such as application/json',
      ),
    ),
    json,
  ),
  batch: v.optional(batch),
  pool: v.optional(pool),
  checkpoints: v.optional(checkpoints),
  signal: v.optional(v.instance(AbortSignal, 'an AbortSignal')),
})

/** @internal Checks the type of a signing key. @throws AlvariumError `CONFIG_INVALID` */
export function readSigningKey(given: unknown): SdkSettings['signingKey'] {
  return readOptions(schema.entries.signingKey, given, 'signingKey')
}

/** @internal Validated options with their defaults. */
export type SdkSettings = v.InferOutput<typeof schema>

/** @internal Validates the options and adds defaults. @throws AlvariumError `CONFIG_INVALID` */
export function readSdkOptions(options: SdkOptions): SdkSettings {
  const settings = readOptions(schema, options)
  warnOfAnnotators(settings)
  const { annotators, batch, codec, layer, logger, tag } = settings
  if (settings.checkpoints && codec.idOf) {
    throw conflicts('checkpoints', 'the codec classic(), whose messages are not bundles')
  }
  if (!codec.fit) return settings
  const fitted = codec.fit({
    isBatched: batch !== undefined,
    kinds: annotators.map(({ kind }) => kind),
    warn: (kind, text) => logger.warn({ kind }, text),
    tag: hostAndTagOf(settings).tag,
    isGiven: tag !== undefined,
    layer,
  })
  return { ...settings, tag: fitted }
}

/** Warns if there are no annotators, or two of the same kind. Does not throw, because benchmarks repeat kinds. */
function warnOfAnnotators({ annotators, logger }: SdkSettings): void {
  if (annotators.length === 0) {
    logger.warn({}, 'annotators: an empty array, so bundles say nothing about payloads')
  }
  const kinds = annotators.map(({ kind }) => kind)
  const twin = kinds.find((kind, at) => kinds.indexOf(kind) !== at)
  if (twin === undefined) return
  logger.warn(
    { kind: twin },
    'annotators: two annotators have the same kind, and nobody can tell their answers apart',
  )
}
