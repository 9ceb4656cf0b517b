import { toHex } from '../base/bytes/hex.js'
import { streamError } from '../base/errors.js'
import type { Codec } from '../codecs/codec.js'
import { withCore } from '../core/core.js'
import { leafHash } from '../core/hashing.js'
import type { Bundle } from '../model/bundle.js'

/** @internal A message as it was published, and as JSON: the same bytes, unless a codec has encoded them. */
export interface Sent {
  readonly message: Uint8Array
  readonly json: Uint8Array
  /** The JSON as it was sealed: without the lists of inputs, but with all that is signed. */
  readonly sealed: Uint8Array
  /** If it is a batch, the ids of its bundles. */
  readonly ids?: Uint8Array | undefined
  /** What has encoded it. */
  readonly codec: Pick<Codec, 'idOf'>
  /** What the stream accepted it with. */
  readonly accepted?: unknown
  /**
   * What the JSON says, read once for all receipts of a batch: for each of 10,240 it took a minute. Held weakly: who keeps one receipt
   * keeps one bundle, and not all of them.
   */
  read?: WeakRef<SealedJson>
}

/** Our own message, as JSON has it. */
interface SealedJson {
  readonly action: Bundle['action']
  readonly content: Omit<Bundle, 'action'> & { signature: string; bundles?: readonly Bundle[] }
}

/** What an SDK call resolves to once the stream has accepted its message. */
export class Receipt {
  /** The message, exactly as it was published. */
  readonly message: Uint8Array
  /** The bundle's place in the message: 0, or more in a batch. See `extractBundle`. */
  readonly index: number
  readonly #sent: Sent
  #bundle: Bundle | undefined
  #id: string | undefined

  /** @internal */
  constructor(sent: Sent, index = 0) {
    this.message = sent.message
    this.index = index
    this.#sent = sent
  }

  /**
   * Resolves when the message has arrived at its destination: at once, unless the stream accepts messages before that, as an
   * outbox does. Rejects with an `AlvariumError` when such a stream gives the message up: the stream's own error, or
   * `STREAM_FAILED` with the stream's reason as its `cause`.
   *
   * @example
   * ```ts
   * const receipt = await sdk.create(payload) // stored in the outbox
   * await receipt.delivered // the broker has it
   * ```
   */
  get delivered(): Promise<void> {
    return deliveryOf(this.#sent.accepted)
  }

  /**
   * The bundle's id everywhere, 64 hexadecimal digits: `verifyMessage`, `verifyBatch` and `subscribe` return the same, and `dedup`
   * goes by it. For a message that `classic()` wrote, the id that a subscription with `classic: true` gives it.
   * Computed on first use: one hash, in a batch none.
   *
   * @example
   * ```ts
   * const { id, message, index } = await sdk.create(payload) // of an SDK with batches
   * const bundle = await verifyMessage(extractBundle(message, index), { keyring })
   * console.log(bundle.id === id) // true
   * ```
   */
  get id(): string {
    this.#id ??= idOf(this.#sent, this.index)
    return this.#id
  }

  /** What was said. Read from the message on first use, as most callers only need to know that it went out. */
  get bundle(): Bundle {
    this.#bundle ??= bundleOf(this.#sent, this.index)
    return this.#bundle
  }
}

/** A custom stream may resolve and reject with anything. */
async function deliveryOf(accepted: unknown): Promise<void> {
  try {
    if (typeof accepted === 'object' && accepted !== null && 'delivered' in accepted) await accepted.delivered
  } catch (error) {
    throw streamError('STREAM_FAILED', 'receipt.delivered: expected the stream to deliver the message', error)
  }
}

/** The length of SHA-256, which all ids are. */
export const ID_BYTES = 32

function idOf({ message, sealed, ids, codec }: Sent, index: number): string {
  if (ids) return toHex(ids.subarray(ID_BYTES * index, ID_BYTES * (index + 1)))
  return codec.idOf ? codec.idOf(message) : bundleIdOf(sealed)
}

function bundleOf(sent: Sent, index: number): Bundle {
  const { action, content } = contentOf(sent)
  const { signature, signer, bundles, ...claims } = content
  const bundle = bundles?.[index]
  if (!bundle) return { action, signer, ...claims }
  const { action: ownAction, ...ownClaims } = bundle
  return { action: ownAction, ...ownClaims, signer }
}

function contentOf(sent: Sent): SealedJson {
  const known = sent.read?.deref()
  if (known) return known
  // Our own message, so no check is needed; see `verifyMessage` for anybody else's.
  const read = JSON.parse(new TextDecoder().decode(sent.json)) as SealedJson
  sent.read = new WeakRef(read)
  return read
}

/** The id of the bundle in a message of ours: a leaf of one (FORMAT.md, Bundle ids). */
function bundleIdOf(json: Uint8Array): string {
  return toHex(leafHash(withCore((core) => core.identityOf(json, true))))
}
