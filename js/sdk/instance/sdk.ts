import type { ListenerOptions, SdkEventMap } from '../../foundation/base/events.js'
import type { PayloadSource } from '../../foundation/model/payload.js'
import type { AnyAnnotator, CallContext } from '../../signing/annotators/annotator.js'
import type { StreamDestination } from '../../transport/streams/stream.js'
import type { SdkOptions } from '../config/options.js'
import type { SdkStats } from '../config/stats.js'
import type { MutateInput } from '../delivery/made-from.js'
import type { Receipt } from '../delivery/receipt.js'

/**
 * Annotates payloads: each call asks the annotators, signs their answers as one bundle and hands it to the
 * stream. Make one with {@link openSdk} and use it for all calls; close it, or declare it `await using`.
 *
 * A payload must not change until its call settles. The bundle is about the bytes at the time of the call, but an
 * annotator that waits before it reads them would see others.
 *
 * A payload can also be a source: a stream, an async iterable, a `Blob`, a file (`openAsSource`). It is read in
 * pieces, and the call is signed after the last byte; calls made meanwhile go first. A piece must not change until the
 * next one is requested.
 */
export interface Sdk<Annotators extends readonly AnyAnnotator[] = readonly AnyAnnotator[]>
  extends AsyncDisposable {
  /** Destination of the messages, if the stream has one. */
  readonly destination: StreamDestination | undefined
  /**
   * Annotates a payload that was created here. Resolves when the stream has accepted the bundle.
   *
   * @throws TypeError when `payload` is neither a `Uint8Array` nor a source, or its buffer is detached. Also for a
   * piece of a source that is not a `Uint8Array`
   * @throws AlvariumError `PAYLOAD_INVALID`: also when an annotator transfers or resizes its buffer. For a source,
   * when it cannot be read to its end, was read before or states a false `size`. Before it is read, also when an
   * annotator needs the payload or the hash is `none`. `QUEUE_FULL` over 1,024 sources at a time; `CONFIG_INVALID` for
   * a context with an input that no annotator takes. `SIGNER_FAILED`, `STREAM_CLOSED`, and every error of the stream
   */
  create(payload: Uint8Array | PayloadSource, context?: CallContext<Annotators>): Promise<Receipt>
  /**
   * Annotates that `newPayload` was made from `oldPayload`: the bundle has the payload keys of both. Throws as `create`
   * does.
   */
  mutate(
    oldPayload: Uint8Array | PayloadSource,
    newPayload: Uint8Array | PayloadSource,
    context?: CallContext<Annotators>,
  ): Promise<Receipt>
  /**
   * Annotates that `newPayload` was made from all of `inputs`: an average from its readings, a model from a sealed
   * set. Takes one signature, and one message with about 90 bytes for each input.
   *
   * @param inputs - 1 to 65,536, in any order that means something to you. Each is the bytes of a payload, the name of
   * one (`{ hash, key }`, so also of its bundles), or the id of a sealed set (`{ set }`). An input may occur twice.
   * The bytes of payloads must not change until the call settles
   * @throws as `create` does; `PAYLOAD_INVALID` for zero or too many inputs, for more than 14 MiB of names, and for an
   * invalid name
   *
   * @example
   * ```ts
   * const average = new TextEncoder().encode('{"celsius":21.3}')
   * const { bundle } = await sdk.mutate(readings, average)
   * console.log(bundle.inputs?.length === readings.length) // true
   * ```
   */
  mutate(
    inputs: Iterable<MutateInput>,
    newPayload: Uint8Array | PayloadSource,
    context?: CallContext<Annotators>,
  ): Promise<Receipt>
  /** Annotates that the payload arrived here unchanged. Throws as `create` does. */
  transit(payload: Uint8Array | PayloadSource, context?: CallContext<Annotators>): Promise<Receipt>
  /**
   * Annotates that the payload was handed on. Does **not** transmit the payload: do that yourself. The message is the
   * bundle about it. Throws as `create` does.
   */
  publish(payload: Uint8Array | PayloadSource, context?: CallContext<Annotators>): Promise<Receipt>
  /**
   * Annotates many payloads as `create` does, in batches: one signature and one message for up to `batch.maxBundles`
   * of them. This is the fastest way. Few batches are in flight at a time, so the number of payloads is unlimited.
   *
   * @returns the receipts, in the order of the payloads
   * @throws as `create` does, with the first reason; batches before the failed one, and concurrent ones, may have been
   * accepted
   */
  createMany(payloads: Iterable<Uint8Array>, context?: CallContext<Annotators>): Promise<Receipt[]>
  /**
   * Waits until there is capacity for another call: in the pool, and in the stream or the outbox. If you await it
   * before each call, and make the call right after it, `QUEUE_FULL` never occurs. Calls that an annotator, a signer,
   * a pool or a batch still has are counted. Each of many callers gets its own place, in their order, which is
   * reserved for a second.
   *
   * A call that is larger than the whole capacity is refused nevertheless. `createMany` waits for its own capacity,
   * and is not counted.
   *
   * @param options - `bytes`, the total size of the call's payloads; default: the largest so far. Set it if sizes
   * differ, and the payloads of a pool's calls or of messages with hash `none` are near its limits. `signal` ends the
   * wait
   * @throws RangeError when `bytes` is not a whole number of 0 or more
   * @throws AlvariumError `STREAM_CLOSED` when the SDK is closed, before or during the wait; and the signal's reason
   *
   * @example
   * ```ts
   * for await (const payload of readings) {
   *   await sdk.ready()
   *   sdk.create(payload).catch(report)
   * }
   * ```
   */
  ready(options?: ReadyOptions): Promise<void>
  /**
   * Replaces the private key while calls are made. Calls in progress end under the old key, and its open batch is
   * sent. The new key signs the next call. Stream, outbox and pool do not change. With `checkpoints`, the log of the
   * old key ends, and the new key has its own. With `leased`, the first lease is published before this changes
   * anything. Give `leased` another stream than before.
   *
   * A source, many inputs, and each payload of `createMany` are signed by the key that is in use after they have been
   * read.
   *
   * Resolves when the new key signs, and the old one is wiped. With `checkpoints`, the stream must first have accepted
   * or rejected the old key's messages. It waits for them for at most `closeTimeoutMs`, and as long again for the last
   * checkpoint and lease. Then unsigned calls reject with `SIGNER_FAILED`. Of several concurrent rotations, each
   * begins after the one before.
   *
   * If it rejects, the old key stays in use. The bytes of a key must not change until it settles.
   *
   * @param signingKey - as in the options of {@link openSdk}
   * @throws AlvariumError `CONFIG_INVALID` for an input that is not a private key, or does not work with the options.
   * A `Signer` does not work with a pool, and no key with the codec `classic`, which has its own. `KEY_INVALID` also
   * for the key in use, `SIGNER_FAILED` and `STREAM_UNREACHABLE` without a lease. `STREAM_CLOSED` when the SDK is
   * closed, before or during the wait
   *
   * @example
   * ```ts
   * const next = generateKey()
   * await sdk.rotate(next.signingKey)
   * const { bundle } = await sdk.create(payload)
   * console.log(bundle.signer === next.keyId) // true
   * ```
   */
  rotate(signingKey: SdkOptions['signingKey']): Promise<void>
  /** Adds a listener to events, for example `annotatorerror`. */
  addEventListener<Type extends keyof SdkEventMap>(
    type: Type,
    listener: (event: SdkEventMap[Type]) => void,
    options?: ListenerOptions,
  ): void
  /** Removes a listener that was added for the same type. */
  removeEventListener<Type extends keyof SdkEventMap>(
    type: Type,
    listener: (event: SdkEventMap[Type]) => void,
  ): void
  /** Returns the figures of the SDK and its stream so far, as a plain frozen object: cheap enough for a call every second. */
  stats(): SdkStats
  /**
   * Waits for the calls in progress, closes codec and stream, and wipes the key. Later calls reject with
   * `STREAM_CLOSED`.
   *
   * It ends within twice `closeTimeoutMs`, whatever annotators, signer, codec and stream do. Calls that are not done
   * by then reject with `STREAM_CLOSED`. Calls that still wait for an annotator or a signer reject after its own
   * timeout.
   *
   * @throws AlvariumError `STREAM_TIMEOUT` when codec or stream do not close in time, `STREAM_FAILED` or
   * `CODEC_FAILED` when they throw
   */
  close(): Promise<void>
}

/** Options of `ready`: the size of the next call, and a signal. */
export interface ReadyOptions {
  /** Total bytes of the call's payloads. Default: the largest so far. */
  readonly bytes?: number | undefined
  /** Signal that ends the wait. */
  readonly signal?: AbortSignal | undefined
}
