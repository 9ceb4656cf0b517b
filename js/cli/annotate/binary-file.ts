import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { extname } from 'node:path'
import { PassThrough, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import zlib from 'node:zlib'
import { conflicts, needs } from '../../foundation/base/errors.js'
import { ignoreRejection } from '../../foundation/base/time/promises.js'
import { flushParentFolder } from '../../transport/streams/flush-name.js'
import type { StreamProvider } from '../../transport/streams/stream.js'
import type { AnnotateOptions } from './options.js'

const COMPRESSORS: Readonly<Record<string, (() => Transform) | undefined>> = {
  '.gz': () => zlib.createGzip(),
  '.zst': Reflect.get(zlib, 'createZstdCompress'),
}

/**
 * Returns a stream to a CBOR, `.gz` or `.zst` file; undefined for uncompressed JSON lines.
 *
 * @throws AlvariumError `CONFIG_INVALID` for a compressed file with `--resume` or `--watch`, because it is readable
 * only after it was closed; for CBOR with `--resume`, `--watch` or `--append`, because nothing in the file shows
 * that a crash cut off the last message
 */
export function binaryFile(options: AnnotateOptions): StreamProvider | undefined {
  const { out = '', codec } = options
  const extension = extname(out).toLowerCase()
  const isCompressed = extension in COMPRESSORS
  if (codec === 'cbor') assertNew(options)
  if (!isCompressed) return codec === 'cbor' ? new BinaryFile(out, new PassThrough()) : undefined
  return new BinaryFile(out, compressorFor(extension, options))
}

function assertNew({ append, resume, watch }: AnnotateOptions): void {
  const other = append ? '--append' : watch ? '--watch' : '--resume'
  if (append || watch || resume !== undefined) throw conflicts(other, '--out and --codec cbor')
}

function compressorFor(extension: string, { resume, watch }: AnnotateOptions): Transform {
  const compressor = COMPRESSORS[extension]
  if (!compressor) throw needs('--out', 'Node 22.15 or later for the ending .zst')
  if (resume !== undefined || watch) throw conflicts(`--out ${extension}`, watch ? '--watch' : '--resume')
  return compressor()
}

/** Stream to a file of compressed JSON lines, or of a CBOR sequence (RFC 8742), which may be compressed. */
class BinaryFile implements StreamProvider {
  readonly #path: string
  readonly #compressor: Transform
  #completion: Promise<void> | undefined
  #isEmpty = true

  constructor(path: string, compressor: Transform) {
    this.#path = path
    this.#compressor = compressor
  }

  async connect(): Promise<void> {
    const file = createWriteStream(this.#path, { flags: 'a', flush: true })
    await once(file, 'open')
    await flushParentFolder(this.#path)
    this.#completion = pipeline(this.#compressor, file)
    ignoreRejection(this.#completion)
  }

  /** Writes a message. Resolves when the compressor can accept the next one. */
  publish(message: Uint8Array, { contentType }: { readonly contentType?: string }): Promise<void> {
    this.#isEmpty = false
    const end = contentType === 'application/json' ? '\n' : ''
    return new Promise((resolve, reject) => {
      this.#compressor.write(Buffer.concat([message, Buffer.from(end)]), (error) =>
        error ? reject(error) : resolve(),
      )
    })
  }

  /** Flushes and closes the file. Writes nothing if no message was published. */
  async close(): Promise<void> {
    if (this.#isEmpty) this.#compressor.destroy()
    else this.#compressor.end()
    await this.#completion?.catch((error) => {
      if (!this.#isEmpty) throw error
    })
  }
}
