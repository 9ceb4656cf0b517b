import * as v from 'valibot'
import { assertBytes, expected } from '../../foundation/base/errors.js'
import { oneOf, readOptions, strict } from '../../foundation/base/options/schema.js'
import { withResolvers } from '../../foundation/base/time/promises.js'
import type { HashName } from '../../foundation/model/bundle.js'
import {
  DIGEST,
  type Digesting,
  ENGINES,
  type Engine,
  type SourceDigest,
} from '../../foundation/model/payload.js'
import { SourceHasher } from './hasher.js'
import { sizeOf } from './pieces.js'
import { sizeChanged, unreadable } from './source-errors.js'

/** Options of `hashing`: the hash, and the code that computes it. */
export interface HashingOptions {
  /** Hash for the payload key, the same as in the SDK or in the messages to verify. Default `sha256`. */
  readonly hash?: 'sha256' | 'md5' | undefined
  /** The code that hashes: see `engine` of `openSdk`. Default `auto`. */
  readonly engine?: Engine | undefined
}

/** A stream between two others, which hashes the bytes that pass through it. It is also a payload. */
export interface HashingStream extends Digesting {
  /** Stream that accepts the bytes to hash. */
  readonly writable: WritableStream<Uint8Array>
  /** Stream of the bytes written to `writable`, in the same pieces and order. */
  readonly readable: ReadableStream<Uint8Array>
}

const schema = strict({
  hash: v.optional(oneOf(['sha256', 'md5']), 'sha256'),
  engine: v.optional(oneOf(ENGINES), 'auto'),
})

/**
 * Hashes data in transit, so that it need not be read twice. Pipe the data through the result, and pass the
 * result as payload to a call of the SDK, to `keyOf` or to `verifyMessage`. These calls wait until the last
 * byte has been read from `readable`. They reject with `PAYLOAD_INVALID` if a part of the data does not pass,
 * or if you add a member `size` to the result and a different number of bytes passes. After the calls are
 * aborted, data still passes. Create a new stream for each payload.
 *
 * @throws AlvariumError `CONFIG_INVALID` for an invalid option; `QUEUE_FULL` if over 1,024 sources are being read
 *
 * @example
 * ```ts
 * import { hashing } from 'alvarium-sdk/sources'
 *
 * const upload = new Blob(['id,celsius\n1,21.4\n'])
 * const destination = new WritableStream()
 * const passing = hashing()
 * const key = keyOf(passing)
 * await upload.stream().pipeThrough(passing).pipeTo(destination)
 * console.log(await key)
 * ```
 */
export function hashing(options: HashingOptions = {}): HashingStream {
  return new HashingTransform(readOptions(schema, options, 'hashing'))
}

class HashingTransform implements HashingStream {
  readonly writable: WritableStream<Uint8Array>
  readonly readable: ReadableStream<Uint8Array>
  readonly hash: HashName
  readonly #hasher: SourceHasher
  readonly #passed = withResolvers<SourceDigest>()

  constructor({ hash, engine }: { readonly hash: HashName; readonly engine: Engine }) {
    this.hash = hash
    this.#hasher = new SourceHasher(hash, engine)
    // Prevent an unhandled rejection, because the digest may never be requested.
    this.#passed.promise.catch(() => {})
    const through = new TransformStream<Uint8Array, Uint8Array>()
    this.readable = through.readable
    this.writable = this.#hashedInto(through.writable.getWriter())
  }

  async [DIGEST](hash: HashName): Promise<SourceDigest> {
    if (hash !== this.hash) {
      const got = `a stream that is hashed by ${this.hash}: use hashing({ hash: '${hash}' })`
      throw expected('PAYLOAD_INVALID', 'payload', `bytes hashed by ${hash}`, got)
    }
    const digested = await this.#passed.promise
    const stated = sizeOf(this)
    if (stated !== undefined && stated !== digested.size) throw sizeChanged(stated, digested.size)
    return digested
  }

  #hashedInto(writer: WritableStreamDefaultWriter<Uint8Array>): WritableStream<Uint8Array> {
    // Fail the digest if the reader of `readable` stops early.
    writer.closed.catch((error) => this.#end(error))
    return new WritableStream({
      write: async (piece) => {
        try {
          assertBytes(piece, 'payload: each piece')
          await this.#hasher.add(piece)
          await writer.write(piece)
        } catch (error) {
          await writer.abort(error)
          throw error
        }
      },
      close: async () => {
        await writer.close()
        this.#passed.resolve(this.#hasher.finish())
        this.#hasher.free()
      },
      abort: (reason) => writer.abort(reason),
    })
  }

  #end(error: unknown): void {
    this.#hasher.free()
    this.#passed.reject(unreadable(error))
  }
}
