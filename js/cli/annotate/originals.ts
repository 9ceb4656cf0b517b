import { stat } from 'node:fs/promises'
import { invalid } from '../fault.js'
import { isFolder } from '../input/files.js'
import { formatOf, payloadsOf } from '../input/payloads.js'
import { fileSource, type InputSource } from '../input/source.js'
import type { Session } from '../session.js'
import type { AnnotateOptions } from './options.js'

/** What payloads were made from, one for each: record by record, or file by file. */
export class Originals {
  readonly #path: string
  readonly #payloads: AsyncGenerator<Uint8Array, void>

  private constructor(path: string, payloads: AsyncGenerator<Uint8Array, void>) {
    this.#path = path
    this.#payloads = payloads
  }

  /**
   * Undefined, when nothing was made from anything. Files are counted first: nothing is signed of two that do not belong together.
   *
   * @throws AlvariumError `CONFIG_INVALID`
   */
  static async of(
    sources: readonly string[],
    options: AnnotateOptions,
    { interrupted }: Session,
  ): Promise<Originals | undefined> {
    const { from, action, watch, resume } = options
    if (from === undefined && action !== 'mutate') return undefined
    if (from === undefined)
      throw invalid('--from', 'the file that it was made from, with --action mutate', 'none')
    if (action !== 'mutate') throw invalid('--from', '--action mutate beside it', action)
    if (watch || resume) throw invalid('--from', 'neither --watch nor --resume beside it', 'one of them')
    const [source = '-', ...others] = sources
    if (others.length > 0 || (await isFolder(source))) {
      throw invalid('--from', 'one file that was made from it', 'several, or a folder')
    }
    const read = (path: string) => payloadsFor(fileSource(path, interrupted), options)
    await assertAsMany(source, from, read)
    return new Originals(from, read(from))
  }

  /** That of the next payload. */
  async next(): Promise<Uint8Array> {
    const { done, value } = await this.#payloads.next()
    if (!done) return value
    throw invalid('--from', 'a payload for each that was made', `fewer in ${this.#path}`)
  }

  /** When there are no more payloads. */
  async end(): Promise<void> {
    const { done } = await this.#payloads.next()
    if (!done) throw invalid('--from', 'a payload for each that was made', `more in ${this.#path}`)
  }
}

function payloadsFor(source: InputSource, options: AnnotateOptions): AsyncGenerator<Uint8Array, void> {
  const { format = formatOf(source), chunkBytes } = options
  return payloadsOf(source, { format, chunkBytes, isGrowing: false })
}

/** Of what is piped in that is seen in the end. */
async function assertAsMany(
  source: string,
  from: string,
  read: (path: string) => AsyncIterable<Uint8Array>,
): Promise<void> {
  const infos = await Promise.all([source, from].map((path) => stat(path).catch(() => undefined)))
  if (!infos.every((info) => info?.isFile())) return
  const [made, before] = [await lengthOf(read(source)), await lengthOf(read(from))]
  if (made === before) return
  throw invalid('--from', `as many payloads as in ${source}, which are ${made}`, `${before} in ${from}`)
}

async function lengthOf(payloads: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0
  for await (const _ of payloads) length++
  return length
}
