import type { ListenerOptions, SdkEventMap } from '../../foundation/base/events.js'
import type { PayloadSource } from '../../foundation/model/payload.js'
import type { AnyAnnotator, CallContext } from '../../signing/annotators/annotator.js'
import type { StreamDestination } from '../../transport/streams/stream.js'
import type { SdkOptions } from '../config/options.js'
import type { SdkStats } from '../config/stats.js'
import type { MutateInput } from '../delivery/inputs.js'
import type { Receipt } from '../delivery/receipt.js'

/**
 * Annotates payloads. Each call asks the annotators, signs their answers as one bundle, and publishes the
 * bundle to the stream. Open one SDK with {@link openSdk} for all calls. Close it, or declare it with `await
 * using`.
 *
 * Do not change a payload until its call settles. The bundle is about the bytes at the time of the call, but
 * an annotator that waits before it reads them would see the changed bytes.
 *
 * A payload can also be a source: a stream, an async iterable, a `Blob`, or a file (`openAsSource`). The SDK
 * reads a source in pieces, and signs the call after the last byte, so that calls made meanwhile go first. Do
 * not change a piece until the next one is requested.
 */
export interface Sdk<Annotators extends readonly AnyAnnotator[] = readonly AnyAnnotator[]>
  extends AsyncDisposable {
  /** Destination of the messages, if the stream states one. */
  readonly destination: StreamDestination | undefined
  /**
   * Annotates a payload that was created here. Resolves when the stream has accepted the bundle.
   *
   * @throws TypeError when `payload` is neither a `Uint8Array` nor a source, when its buffer is detached,
   *   or when a source has a piece that is not a `Uint8Array`
   * @throws AlvariumError `PAYLOAD_INVALID`, also when an annotator transfers or resizes the buffer. For a
   *   source: when it cannot be read to its end, was read before or states a wrong `size`; when an annotator
   *   needs the payload or the hash is `none`. `QUEUE_FULL` for more than 1,024 sources at a time;
   *   `CONFIG_INVALID` for an input that no annotator accepts; `SIGNER_FAILED`, `STREAM_CLOSED`, and every
   *   error of the stream
   */
  create(payload: Uint8Array | PayloadSource, context?: CallContext<Annotators>): Promise<Receipt>
  /**
   * Annotates that `newPayload` was made from `oldPayload`. The bundle has the payload keys of both. Throws
   * as `create` does.
   */
  mutate(
    oldPayload: Uint8Array | PayloadSource,
    newPayload: Uint8Array | PayloadSource,
    context?: CallContext<Annotators>,
  ): Promise<Receipt>
  /**
   * Annotates that `newPayload` was made from all `inputs`: an average from its readings, or a model from a
   * sealed set. Publishes one message under one signature, with about 90 bytes for each input.
   *
   * @param inputs - 1 to 65,536 inputs, in an order of your choice. An input is a payload as bytes, a
   *   payload key (`{ hash, key }`, for example a bundle), or the id of a sealed set (`{ set }`). An input
   *   may occur twice. Do not change the bytes of payloads until the call settles
   * @throws as `create` does; `PAYLOAD_INVALID` for zero or too many inputs, for more than 14 MiB of
   *   payload keys and set ids, and for an invalid payload key or set id
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
   * Annotates that the payload was passed on. Does **not** transmit the payload: do that yourself. The
   * published message is the bundle about the payload. Throws as `create` does.
   */
  publish(payload: Uint8Array | PayloadSource, context?: CallContext<Annotators>): Promise<Receipt>
  /**
   * Annotates many payloads as `create` does, but faster: up to `batch.maxBundles` payloads share a signature
   * and a message. Few batches are in flight at a time, so the number of payloads is unlimited.
   *
   * @returns the receipts, in the order of the payloads
   * @throws as `create` does, with the first error. Earlier and concurrent batches may have been accepted
   */
  createMany(payloads: Iterable<Uint8Array>, context?: CallContext<Annotators>): Promise<Receipt[]>
  /**
   * Waits until the pool, and the stream or the outbox, have capacity for a further call. If you await
   * `ready()` before each call, and make the call right after it, `QUEUE_FULL` never occurs. Calls that wait
   * for an annotator, a signer, a pool or a batch use capacity too. Waiting callers get capacity in the
   * order of their calls to `ready()`. Capacity is reserved for one second.
   *
   * A call that exceeds the whole capacity of the stream is refused nevertheless. `createMany` waits for
   * capacity itself, so it needs no `ready()`.
   *
   * @param options - `bytes`, the total size of the call's payloads. Default: the largest so far. Set
   *   `bytes` if sizes differ, and payloads are near the limits of a pool, or of messages with hash `none`.
   *   `signal` ends the wait
   * @throws RangeError when `bytes` is not a whole number of 0 or more
   * @throws AlvariumError `STREAM_CLOSED` when the SDK is closed meanwhile; and the signal's reason
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
   * Replaces the private key while calls are made. The old key signs the calls in progress and its open
   * batch, and the new key signs all later calls. Stream, outbox and pool do not change. With `checkpoints`,
   * the log of the old key ends, and the new key has its own log. With `leased`, the first lease is published
   * before the keys are exchanged. Pass a new stream to `leased`.
   *
   * Sources, many inputs, and payloads of `createMany` are signed by the key that is in use after they have
   * been read.
   *
   * Resolves when the new key signs and the old key is wiped. With `checkpoints`, the stream must first have
   * accepted or rejected the old key's messages. `rotate` waits for these at most `closeTimeoutMs`; calls
   * that are unsigned then reject with `SIGNER_FAILED`. It waits as long again for the last checkpoint and
   * lease. Concurrent rotations run one after the other.
   *
   * If `rotate` rejects, the old key stays in use. Do not change the bytes of a key until `rotate` settles.
   *
   * @param signingKey - as in the options of {@link openSdk}
   * @throws AlvariumError `CONFIG_INVALID` when `signingKey` is not a private key or cannot be combined with
   *   the options: a `Signer` with a pool, any key with the codec `classic`. `KEY_INVALID` when it is invalid or
   *   already in use. `SIGNER_FAILED` and `STREAM_UNREACHABLE` when the first lease cannot be signed or published.
   *   `STREAM_CLOSED` when the SDK is closed before the keys are exchanged
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
  /** Returns the statistics of the SDK and its stream as a frozen object. Cheap enough to call every second. */
  stats(): SdkStats
  /**
   * Waits for the calls in progress, closes codec and stream, and wipes the key. Later calls reject with
   * `STREAM_CLOSED`.
   *
   * Settles within twice `closeTimeoutMs`, whatever annotators, signer, codec and stream do. Calls that are
   * not done by then reject with `STREAM_CLOSED`. Calls that still wait for an annotator or a signer reject
   * after the timeout of that annotator or signer.
   *
   * @throws AlvariumError `STREAM_TIMEOUT` when codec or stream do not close in time, `STREAM_FAILED` or
   * `CODEC_FAILED` when they throw
   */
  close(): Promise<void>
}

/** Size of the next call for `ready`, and a signal that ends the wait. */
export interface ReadyOptions {
  /** Total bytes of the call's payloads. Default: the largest total so far. */
  readonly bytes?: number | undefined
  /** Signal that cancels the wait of `ready`. */
  readonly signal?: AbortSignal | undefined
}
