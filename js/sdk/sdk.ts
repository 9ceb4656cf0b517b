import type { AnyAnnotator, CallContext } from '../annotators/annotator.js'
import type { ListenerOptions, SdkEventMap } from '../base/events.js'
import type { SdkOptions } from '../config/options.js'
import type { SdkStats } from '../config/stats.js'
import type { MutateInput } from '../delivery/made-from.js'
import type { Receipt } from '../delivery/receipt.js'
import type { PayloadSource } from '../model/payload.js'
import type { StreamDestination } from '../streams/stream.js'

/**
 * Annotates payloads: each call asks the annotators, signs their answers as one bundle and hands it to the
 * stream. Make one with {@link openSdk} and use it for all calls; close it, or declare it `await using`.
 *
 * A payload must not change until its call settles: the bundle speaks about the bytes at the time of the call, but
 * an annotator that waits before it looks would see others.
 *
 * In place of its bytes a payload can be a source: a stream, an async iterable, a `Blob`, a file (`openAsSource`). It is read in pieces,
 * and the call is signed when the last byte has come; calls that are made meanwhile go first. A piece must not change until the next
 * one is asked for.
 */
export interface Sdk<Annotators extends readonly AnyAnnotator[] = readonly AnyAnnotator[]>
  extends AsyncDisposable {
  /** Destination of the messages, if the stream has one. */
  readonly destination: StreamDestination | undefined
  /**
   * The payload came into being here. Resolves when the stream has accepted the bundle.
   *
   * @throws TypeError when `payload` is neither a `Uint8Array` nor a source, or is one whose buffer is gone; and for a piece of a source
   * that is no `Uint8Array`
   * @throws AlvariumError `PAYLOAD_INVALID` (also when an annotator transfers or resizes its buffer; for a source that cannot be read to
   * its end, was read before or lies about its `size`; and before it is read, when an annotator needs the payload or the hash is `none`),
   * `QUEUE_FULL` over 1,024 sources at a time, `CONFIG_INVALID` for a context with an
   * input that no annotator takes, `SIGNER_FAILED`, `STREAM_CLOSED`, and whatever the stream rejects with
   */
  create(payload: Uint8Array | PayloadSource, context?: CallContext<Annotators>): Promise<Receipt>
  /** `newPayload` was made from `oldPayload`: the bundle carries the keys of both. Throws as `create` does. */
  mutate(
    oldPayload: Uint8Array | PayloadSource,
    newPayload: Uint8Array | PayloadSource,
    context?: CallContext<Annotators>,
  ): Promise<Receipt>
  /**
   * `newPayload` was made from all of `inputs`: an average from its readings, a model from a sealed set. One signature, and one message
   * with about 90 bytes for each input.
   *
   * @param inputs - 1 to 65,536, in any order that means something to you: bytes of payloads, names of payloads (`{ hash, key }`, so also
   * their bundles), ids of sealed sets (`{ set }`). One may come twice. Their bytes must not change until the call settles
   * @throws as `create` does; `PAYLOAD_INVALID` for none or too many, for more than 14 MiB of names, and for a name that cannot be one
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
  /** The payload arrived here unchanged. Throws as `create` does. */
  transit(payload: Uint8Array | PayloadSource, context?: CallContext<Annotators>): Promise<Receipt>
  /**
   * Says that the payload was handed on. It does **not** transmit the payload: do that yourself; what is
   * published here is the bundle about it. Throws as `create` does.
   */
  publish(payload: Uint8Array | PayloadSource, context?: CallContext<Annotators>): Promise<Receipt>
  /**
   * `create` for many payloads, in batches: one signature and one message for up to `batch.maxBundles` of them, and the
   * fastest way there is. Few batches are on their way at a time, so any number of payloads will do.
   *
   * @returns the receipts, in the order of the payloads
   * @throws as `create` does, with the first reason; batches before and beside the one that failed may have been accepted
   */
  createMany(payloads: Iterable<Uint8Array>, context?: CallContext<Annotators>): Promise<Receipt[]>
  /**
   * Resolves when another call finds room: in the pool, and in the stream or the outbox. If you wait for it before each call, and
   * make the call right after it, you never meet `QUEUE_FULL`. Calls that an annotator, a signer, a pool or a batch still has are
   * counted. Each of many callers gets a place of its own, in their order, which is kept for a second.
   *
   * What is longer than all the room there is, is refused all the same. `createMany` sees to its own room, and is not counted.
   *
   * @param options - `bytes`, the size of the call's payloads together: say it where sizes differ, and those of a pool's calls or of
   * messages with hash `none` are near its limits; by default the largest so far. `signal` ends the wait
   * @throws RangeError when `bytes` is no whole number of 0 or more
   * @throws AlvariumError `STREAM_CLOSED` when the SDK is closed, also while this waits; and the signal's reason
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
   * Replaces the private key while calls are made. Calls in progress end under the old key, and its open batch is sent. The next call is
   * signed by the new key. Stream, outbox and pool stay as they are. With `checkpoints`, the log of the old key ends, and the new key
   * has its own. With `leased`, the first lease is published before this changes anything. Give `leased` another stream than before.
   *
   * A source, many inputs, and each payload of `createMany` are signed by the key that is in use when they have been read.
   *
   * Resolves when the new key signs, and the old one is wiped. With `checkpoints`, that takes until the stream has accepted or rejected the old
   * key's messages. It waits for them for at most `closeTimeoutMs`, and as long again for the last checkpoint and lease. Then calls that
   * are still not signed reject with `SIGNER_FAILED`. Of several rotations at once, each begins after the one before.
   *
   * If it rejects, the old key stays in use. The bytes of a key must not change until it settles.
   *
   * @param signingKey - as in the options of {@link openSdk}
   * @throws AlvariumError `CONFIG_INVALID` for what is no private key or does not work with the options (a `Signer` with a pool; any
   * key with the codec `classic`, which has its own), `KEY_INVALID` also for the key in use, `SIGNER_FAILED` and
   * `STREAM_UNREACHABLE` if there is no lease, and `STREAM_CLOSED` when the SDK is closed, also while this waits
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
  /** Listens to events, for example `annotatorerror`. */
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
  /** What it has done so far, and its stream, as a plain frozen object: cheap enough to ask for every second. */
  stats(): SdkStats
  /**
   * Waits for the calls under way, closes codec and stream and wipes the key. Later calls give `STREAM_CLOSED`.
   *
   * It ends within twice `closeTimeoutMs`, whatever annotators, signer, codec and stream do. Calls that are not done by then reject
   * with `STREAM_CLOSED`; those that still wait for an annotator or a signer reject once its own timeout is over.
   *
   * @throws AlvariumError `STREAM_TIMEOUT` when codec or stream do not close in time, `STREAM_FAILED` or `CODEC_FAILED` when they throw
   */
  close(): Promise<void>
}

/** What a call will need, and for how long to wait for it. */
export interface ReadyOptions {
  /** Bytes of its payloads together. Default: as many as the largest so far. */
  readonly bytes?: number | undefined
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
}
