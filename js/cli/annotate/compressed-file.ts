import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import zlib from 'node:zlib'
import { toHex } from '../../base/bytes/hex.js'
import { ignoreRejection } from '../../base/time/promises.js'
import { flushName } from '../../streams/flush-name.js'
import type { StreamProvider } from '../../streams/stream.js'
import { invalid } from '../fault.js'
import type { AnnotateOptions } from './options.js'

const COMPRESSORS: Readonly<Record<string, (() => zlib.Gzip) | undefined>> = {
  '.gz': () => zlib.createGzip(),
  '.zst': Reflect.get(zlib, 'createZstdCompress'),
}

/**
 * Makes a stream for a file whose name ends with `.gz` or `.zst`; undefined for others.
 *
 * @throws AlvariumError `CONFIG_INVALID` with `--resume` or `--watch`: a message is in the file only when all of it is written
 */
export function compressedFile({ out = '', resume, watch }: AnnotateOptions): StreamProvider | undefined {
  const extension = extname(out).toLowerCase()
  if (!(extension in COMPRESSORS)) return undefined
  const compressor = COMPRESSORS[extension]
  if (!compressor) throw invalid('--out', 'another ending than .zst, which needs Node 22.15', extension)
  if (resume !== undefined || watch)
    throw invalid('--out', `no ${extension} with ${watch ? '--watch' : '--resume'}`, extension)
  return new CompressedFile(out, compressor())
}

/** A message a line, or CBOR in hexadecimal, compressed. */
class CompressedFile implements StreamProvider {
  readonly #path: string
  readonly #compressor: zlib.Gzip
  #written: Promise<void> | undefined
  #isEmpty = true

  constructor(path: string, compressor: zlib.Gzip) {
    this.#path = path
    this.#compressor = compressor
  }

  /** Opens the file to append, as a second part of gzip or zstd may follow the first. */
  async connect(): Promise<void> {
    const file = createWriteStream(this.#path, { flags: 'a', flush: true })
    await once(file, 'open')
    await flushName(this.#path)
    this.#written = pipeline(this.#compressor, file)
    ignoreRejection(this.#written)
  }

  /** Resolves when there is room for the next message. */
  publish(message: Uint8Array, { contentType }: { readonly contentType?: string }): Promise<void> {
    this.#isEmpty = false
    const text = contentType === 'application/json' ? Buffer.from(message).toString() : toHex(message)
    return new Promise((resolve, reject) => {
      this.#compressor.write(`${text}\n`, (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Writes the rest, and an empty file stays empty. */
  async close(): Promise<void> {
    if (this.#isEmpty) this.#compressor.destroy()
    else this.#compressor.end()
    await this.#written?.catch((error) => {
      if (!this.#isEmpty) throw error
    })
  }
}
