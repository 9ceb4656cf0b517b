import * as v from 'valibot'
import type { AnyAnnotator, PayloadContext } from '../annotators/annotator.js'
import { expected } from '../base/errors.js'
import { type Logger, safeLogger, silentLogger } from '../base/logger.js'
import { integer, LONGEST_TIMEOUT, readOptions, strict, withMethods } from '../base/options/schema.js'
import { isWellFormed } from '../base/text/text.js'
import type { Codec } from '../codecs/codec.js'
import { json } from '../codecs/json.js'
import { Most } from '../core/core.js'
import type { LeasedKey } from '../keys/leased-key.js'
import type { Signer, WebCryptoKeyPair } from '../keys/signer.js'
import type { SigningKeyInput } from '../keys/signing.js'
import { ACTIONS, HASHES, type HashName, LAYERS, type Layer } from '../model/bundle.js'
import { ENGINES, type Engine } from '../model/payload.js'
import type { WorkerPool } from '../model/worker-pool.js'
import { type Checkpoints, RUNS } from '../seal/log.js'
import { namesOf } from '../seal/names.js'
import type { StreamProvider } from '../streams/stream.js'

/** When a batch goes out: with the first of these that is reached, or when the SDK is closed. */
export interface BatchOptions {
  /** Bundles in a batch, 1 to 65,536. Default 256. */
  readonly maxBundles?: number | undefined
  /** Milliseconds that the first call of a batch waits for others. Default 10. */
  readonly maxDelayMs?: number | undefined
  /** Bytes of a batch's message, to 8 MiB; only a bundle that is longer on its own exceeds it. Default 1 MiB. */
  readonly maxBytes?: number | undefined
}

/** Options of `openSdk`. Only the first three have no default. */
export interface SdkOptions<Annotators extends readonly AnyAnnotator[] = readonly AnyAnnotator[]> {
  /**
   * Signs every bundle: a private key in any usual form, a WebCrypto key pair, or your own `Signer`. Or a key that signs by leases of
   * one of these: `leased` of `alvarium-sdk/trust`.
   */
  readonly signingKey: SigningKeyInput | WebCryptoKeyPair | Signer | LeasedKey
  /**
   * The checks, at most 32. Each call's bundle has their answers in this order. The logger is warned of an empty array, whose bundles
   * say nothing, and of two annotators of one kind, which calls' contexts and readers cannot tell apart.
   */
  readonly annotators: Annotators
  /**
   * Kinds that are no annotator's here, and for which calls may give inputs all the same, as a config may have them next time.
   * `fromConfig` says them. Default: none, so that an input nobody looks at is refused.
   */
  readonly otherKinds?: readonly string[] | undefined
  /** Where messages go. */
  readonly stream: StreamProvider
  /** Where in the stack this code runs. Default `app`. */
  readonly layer?: Layer | undefined
  /** How payloads become keys. Default `sha256`. */
  readonly hash?: HashName | undefined
  /**
   * The place where payloads are hashed and bundles signed, see {@link Engine}. `host` signs with the platform's Ed25519 or P-256,
   * in browsers with WebCrypto. Default `auto`.
   */
  readonly engine?: Engine | undefined
  /**
   * The name of this machine in bundles, at most 255 bytes. Default: the system's, or the page's host; empty where it may
   * not be asked for (Deno without `--allow-sys`).
   */
  readonly host?: string | undefined
  /**
   * What annotations can be found by, at most 1,024 bytes. Default: the environment variable `TAG` for layer
   * `app` (nothing where it may not be read), the host's name for `os` and `host`, else nothing. With the codec `classic` it
   * is that of the SDK whose dialect is written: Java and Rust have one for layer `app` alone, Python none.
   */
  readonly tag?: string | undefined
  /** Milliseconds until an annotator that answers with a promise counts as not satisfied. Default 5,000. */
  readonly annotatorTimeoutMs?: number | undefined
  /** Milliseconds until a `Signer` that does not answer has failed, that of the codec `classic` too. Default 10,000. */
  readonly signerTimeoutMs?: number | undefined
  /** Milliseconds until a codec of your own that answers with a promise has failed. Default 10,000. */
  readonly codecTimeoutMs?: number | undefined
  /**
   * Milliseconds until a stream that has not accepted a message has failed: its call rejects with `STREAM_TIMEOUT`. Default: no
   * limit but the stream's own, which `mqtt` has in `publishTimeoutMs`.
   */
  readonly streamTimeoutMs?: number | undefined
  /**
   * Milliseconds until a stream whose `connect` does not answer has failed: `openSdk` rejects with `STREAM_TIMEOUT`, and the signal that
   * the stream was given aborts. Default: no limit but the stream's own, which `mqtt` has in its `connectTimeoutMs`. An outbox only
   * opens its store meanwhile; one that is damaged takes its time.
   */
  readonly connectTimeoutMs?: number | undefined
  /**
   * Milliseconds that `close()` waits for calls under way, and then again for codec and stream to close. No less than the
   * `closeTimeoutMs` of `mqtt`, and four times that of an outbox. Default 30,000.
   */
  readonly closeTimeoutMs?: number | undefined
  /** A pino-shaped logger, see {@link Logger}. Default: silence. */
  readonly logger?: Logger | undefined
  /** How messages are written: `json()`, `cbor()`, or your own. Default JSON. */
  readonly codec?: Codec | undefined
  /**
   * Puts many calls under one signature and into one message, which is several times faster; each call then waits
   * for its batch. Default: a message for each call. See {@link BatchOptions}.
   */
  readonly batch?: BatchOptions | undefined
  /**
   * Seals in the pool's workers, with all cores; the annotators stay in this thread. The key is handed to each worker,
   * so it cannot be a `Signer`. With `batch`, and in `createMany`, calls are sealed in this thread: so little work is
   * left for each of them that handing it over would cost as much. See `alvarium-sdk/pool`.
   */
  readonly pool?: WorkerPool | undefined
  /**
   * Signs checkpoints of what is signed here, so that readers see what was left out on the way: `checkpoints()` of
   * `alvarium-sdk/completeness`. Not with the codec `classic`. Default: none.
   */
  readonly checkpoints?: Checkpoints | undefined
  /** Gives up opening, while the stream connects. */
  readonly signal?: AbortSignal | undefined
}

/** Lone surrogates have no UTF-8: two different texts would be signed as the same. */
const isUnicode = (value: string) => isWellFormed(value)
/** More than bundles hold; how much, the core says. Its memory, into which all of it would be copied, never shrinks. */
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
  v.check(({ kind }) => kind !== 'signal', 'another kind than signal, which is the name of the AbortSignal'),
  v.check(({ kind }) => kind !== 'transfer', 'another kind than transfer, which hands the payload over'),
  v.check(({ kind }) => kind !== 'tag', 'another kind than tag, which is what a call can be found by'),
  v.check(
    ({ kind }) => kind !== 'onProgress',
    'another kind than onProgress, which gets the progress of sources',
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

/** Kind, needs and actions as they are now: what is read once cannot be another thing, or throw, in the middle of a call. */
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
  maxBundles: integer(1, Most.Bundles, 256),
  maxDelayMs: integer(0, LONGEST_TIMEOUT, 10),
  maxBytes: integer(1, 8 * 1024 * 1024, 1024 * 1024),
})

/** Those of a batch that `createMany` fills, whose payloads are all there: no timer cuts it where the machine is slow. */
export const BATCH_OF_MANY = v.parse(batch, { maxDelayMs: 1000 })

/** By its shape: whoever has no pool should not have to load what runs one. */
const pool = v.custom<WorkerPool>(
  (value) => typeof value === 'object' && value !== null && 'workers' in value && 'open' in value,
  'a pool that was opened with pool()',
)

/** By its shape: whoever signs none should not have to load what does. */
const checkpoints = v.custom<Checkpoints>(
  (value) => typeof value === 'object' && value !== null && RUNS in value,
  'what checkpoints() has made',
)

/** The page of limits shows it. */
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
  annotatorTimeoutMs: integer(1, LONGEST_TIMEOUT, 5000),
  signerTimeoutMs: integer(1, LONGEST_TIMEOUT, 10_000),
  codecTimeoutMs: integer(1, LONGEST_TIMEOUT, 10_000),
  streamTimeoutMs: v.optional(integer(1, LONGEST_TIMEOUT, 1)),
  connectTimeoutMs: v.optional(integer(1, LONGEST_TIMEOUT, 1)),
  closeTimeoutMs: integer(1, LONGEST_TIMEOUT, 30_000),
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

/** @internal The options with their defaults filled in. */
export type SdkSettings = v.InferOutput<typeof schema>

/** @internal @throws AlvariumError `CONFIG_INVALID` */
export function readSdkOptions(options: SdkOptions): SdkSettings {
  const settings = readOptions(schema, options)
  warnOfAnnotators(settings)
  const { annotators, batch, codec, layer, logger, tag } = settings
  if (settings.checkpoints && codec.idOf) {
    throw expected(
      'CONFIG_INVALID',
      'checkpoints',
      'none with the codec classic(), whose messages are not bundles',
      'both',
    )
  }
  if (!codec.fit) return settings
  const fitted = codec.fit({
    isBatched: batch !== undefined,
    kinds: annotators.map(({ kind }) => kind),
    warn: (kind, text) => logger.warn({ kind }, text),
    tag: namesOf(settings).tag,
    isGiven: tag !== undefined,
    layer,
  })
  return { ...settings, tag: fitted }
}

/** No error: to ask the same check twice is what a benchmark does (that of the report, for example). */
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
