import { toHex } from '../../foundation/base/bytes/hex.js'
import { streamError } from '../../foundation/base/errors.js'
import { withCore } from '../../foundation/core/core.js'
import { leafHash } from '../../foundation/core/hashing.js'
import type { Bundle } from '../../foundation/model/bundle.js'
import type { Codec } from '../../transport/codecs/codec.js'

/** @internal A published message and its JSON: the same bytes, unless a codec has encoded the JSON. */
export interface Sent {
  readonly message: Uint8Array
  readonly json: Uint8Array
  /** Signed JSON, without the lists of inputs, but with all signed fields. */
  readonly sealed: Uint8Array
  /** Ids of the bundles, if the message is a batch. */
  readonly ids?: Uint8Array | undefined
  readonly codec: Pick<Codec, 'idOf'>
  /** Value with which the stream accepted the message. */
  readonly accepted?: unknown
  /**
   * Parsed JSON of the message, shared by all receipts of a batch, because parsing it for each of 10,240
   * receipts took a minute. The reference is weak, so that a stored receipt keeps only one parsed bundle.
   */
  read?: WeakRef<SealedJson>
}

interface SealedJson {
  readonly action: Bundle['action']
  readonly content: Omit<Bundle, 'action'> & { signature: string; bundles?: readonly Bundle[] }
}

/** Result of an SDK call whose message the stream has accepted. */
export class Receipt {
  /** Message as published, encoded by the SDK's codec. All receipts of a batch have the same message. */
  readonly message: Uint8Array
  /** Index of the bundle in the message: 0, or more in a batch. See `extractBundle`. */
  readonly index: number
  readonly #sentMessage: Sent
  #bundle: Bundle | undefined
  #id: string | undefined

  /** @internal */
  constructor(sentMessage: Sent, index = 0) {
    this.message = sentMessage.message
    this.index = index
    this.#sentMessage = sentMessage
  }

  /**
   * Promise that resolves when the message has arrived at its destination. It is resolved already, unless the
   * stream accepts messages before it delivers them, as an outbox does. If such a stream fails, the promise
   * rejects with the stream's `AlvariumError`, or with `STREAM_FAILED` and the stream's reason as `cause`.
   *
   * @example
   * ```ts
   * const receipt = await sdk.create(payload) // stored in the outbox
   * await receipt.delivered // the broker has it
   * ```
   */
  get delivered(): Promise<void> {
    return deliveryOf(this.#sentMessage.accepted)
  }

  /**
   * Id of the bundle, 64 hexadecimal digits. `verifyMessage`, `verifyBatch` and `subscribe` return the same
   * id, and `dedup` uses it. For a message that `classic()` wrote, this is the id in a subscription with
   * `classic: true`. The first use computes one hash, except in a batch.
   *
   * @example
   * ```ts
   * const { id, message, index } = await sdk.create(payload) // of an SDK with batches
   * const bundle = await verifyMessage(extractBundle(message, index), { keyring })
   * console.log(bundle.id === id) // true
   * ```
   */
  get id(): string {
    this.#id ??= idOf(this.#sentMessage, this.index)
    return this.#id
  }

  /**
   * Bundle with all annotations of the call. It is parsed on first use, because most callers need only the
   * acceptance.
   */
  get bundle(): Bundle {
    this.#bundle ??= bundleOf(this.#sentMessage, this.index)
    return this.#bundle
  }
}

/** Waits for the delivery of a message. A custom stream may resolve and reject with any value. */
async function deliveryOf(accepted: unknown): Promise<void> {
  try {
    if (typeof accepted === 'object' && accepted !== null && 'delivered' in accepted) await accepted.delivered
  } catch (error) {
    throw streamError('STREAM_FAILED', 'receipt.delivered: expected the stream to deliver the message', error)
  }
}

/** Length of a bundle id in bytes. Each id is a SHA-256 hash. */
export const ID_BYTES = 32

function idOf({ message, sealed, ids, codec }: Sent, index: number): string {
  if (ids) return toHex(ids.subarray(ID_BYTES * index, ID_BYTES * (index + 1)))
  return codec.idOf ? codec.idOf(message) : bundleIdOf(sealed)
}

function bundleOf(sentMessage: Sent, index: number): Bundle {
  const { action, content } = contentOf(sentMessage)
  const { signature, signer, bundles, ...claims } = content
  const bundle = bundles?.[index]
  if (!bundle) return { action, signer, ...claims }
  const { action: ownAction, ...ownClaims } = bundle
  return { action: ownAction, ...ownClaims, signer }
}

function contentOf(sentMessage: Sent): SealedJson {
  const known = sentMessage.read?.deref()
  if (known) return known
  // Parse without checks, because this SDK has signed the message. For other messages see `verifyMessage`.
  const read = JSON.parse(new TextDecoder().decode(sentMessage.json)) as SealedJson
  sentMessage.read = new WeakRef(read)
  return read
}

/** Returns the id of a bundle that this SDK signed alone: the leaf hash of its signed bytes (FORMAT.md, Bundle ids). */
function bundleIdOf(json: Uint8Array): string {
  return toHex(leafHash(withCore((core) => core.identityOf(json, true))))
}
