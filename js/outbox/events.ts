/**
 * A stored message will not be delivered: it was too old, refused, damaged, or in the way of newer ones.
 *
 * @example
 * ```ts
 * const stream = outbox({ stream: mqtt({ url, topic }), store: './outbox' })
 * stream.addEventListener('dropped', ({ error, message }) => console.error(error, message.length))
 * ```
 */
export class DroppedEvent extends Event {
  /** The message, as it was handed to `publish`: yours to keep elsewhere. */
  readonly message: Uint8Array
  /**
   * Why: an `AlvariumError` with `STREAM_TIMEOUT` (older than `maxAgeMs`), `STREAM_REFUSED` (by the broker), `QUEUE_FULL` (made
   * room for newer ones); something else when what is stored could not be read, and `message` is all there is of it.
   */
  readonly error: unknown

  /** @internal */
  constructor(message: Uint8Array, error: unknown) {
    super('dropped')
    this.message = message
    this.error = error
  }
}
