import type { MutateInput } from 'alvarium-sdk'
import { conflicts, needs } from '../../foundation/base/errors.js'
import { withNoun } from '../../foundation/base/text/text.js'
import { invalid, onlyWith } from '../fault.js'
import { isFile, isFolder } from '../input/files.js'
import { formOf, payloadsOf } from '../input/payloads.js'
import { fileSource, type InputSource } from '../input/source.js'
import type { Session } from '../session.js'
import { inputsIn } from './inputs.js'
import type { AnnotateOptions } from './options.js'

export type MadeFrom = Uint8Array | readonly MutateInput[]

export interface Originals {
  next(): Promise<MadeFrom>
  end(): Promise<void>
}

/**
 * Returns the originals that the options name; undefined if they name none. Counts the records of regular
 * files first, so that unequal numbers of records stop the command before it signs.
 */
export async function originalsFor(
  sources: readonly string[],
  options: AnnotateOptions,
  listed: readonly string[] | undefined,
  { interrupted }: Session,
): Promise<Originals | undefined> {
  const { from = [], action, hash = 'sha256' } = options
  if (from.length === 0 && !listed && action !== 'mutate') return undefined
  if (from.length === 0 && !listed)
    throw needs(
      '--from',
      'the file that the payload was made from, because of --action mutate (or use --inputs)',
    )
  const source = onlySource(sources, options, listed ? '--inputs' : '--from')
  if (await isFolder(source)) throw several(listed ? '--inputs' : '--from')
  const read = (path: string) => payloadsFor(fileSource(path, interrupted), options)
  if (listed) {
    await assertOne(source, read)
    return singleOriginal(await inputsIn(listed, hash, interrupted))
  }
  for (const path of from) await assertAsMany(source, path, read)
  return recordOriginals(from.map((path) => ({ path, payloads: read(path) })))
}

function onlySource(
  sources: readonly string[],
  { from, inputs, action, watch, resume }: AnnotateOptions,
  option: string,
): string {
  if (from && inputs !== undefined) throw conflicts('--inputs', '--from')
  if (action !== 'mutate') throw onlyWith(option, '--action mutate')
  if (watch || resume) throw conflicts(option, '--watch or --resume')
  const [source = '-', ...others] = sources
  if (others.length > 0) throw several(option)
  return source
}

function several(option: string): Error {
  return invalid(option, 'one file as the source', 'several sources, or a folder')
}

interface OriginalsFile {
  readonly path: string
  readonly payloads: AsyncGenerator<Uint8Array, void>
}

/** Returns originals from the `--from` files: one record of each file for every payload. */
function recordOriginals(files: readonly OriginalsFile[]): Originals {
  const wrongNumber = (got: string) => invalid('--from', 'one original for each payload that was made', got)
  return {
    async next() {
      const inputs: Uint8Array[] = []
      for (const { path, payloads } of files) {
        const { done, value } = await payloads.next()
        if (done) throw wrongNumber(`fewer originals in ${path}`)
        inputs.push(value)
      }
      const [only] = inputs
      return only !== undefined && inputs.length === 1 ? only : inputs
    },
    async end() {
      for (const { path, payloads } of files)
        if (!(await payloads.next()).done) throw wrongNumber(`more originals in ${path}`)
    },
  }
}

/** Returns all inputs in the file of `--inputs` as the original of a single payload. */
function singleOriginal(inputs: readonly MutateInput[]): Originals {
  const wrongNumber = (got: string) => invalid('--inputs', 'a source with one payload', got)
  let isUsed = false
  return {
    async next() {
      if (isUsed) throw wrongNumber('several payloads (--format whole makes one)')
      isUsed = true
      return inputs
    },
    async end() {
      if (!isUsed) throw wrongNumber('a source without a payload')
    },
  }
}

function payloadsFor(source: InputSource, options: AnnotateOptions): AsyncGenerator<Uint8Array, void> {
  return payloadsOf(source, { ...formOf(source, options), isGrowing: false })
}

/** Throws if two regular files have different numbers of payloads. Pipes are compared while they are read. */
async function assertAsMany(
  source: string,
  from: string,
  read: (path: string) => AsyncIterable<Uint8Array>,
): Promise<void> {
  if (!(await isFile(source)) || !(await isFile(from))) return
  const [payloadCount, before] = [await lengthOf(read(source)), await lengthOf(read(from))]
  if (payloadCount === before) return
  throw invalid('--from', `${withNoun(payloadCount, 'payload')}, as in ${source}`, `${before} in ${from}`)
}

/** Throws if a regular file does not contain exactly one payload. Skips pipes, which can be read only once. */
async function assertOne(source: string, read: (path: string) => AsyncIterable<Uint8Array>): Promise<void> {
  const payloadCount = (await isFile(source)) ? await lengthOf(read(source)) : 1
  if (payloadCount === 1) return
  throw invalid(
    '--inputs',
    'a source with one payload',
    `${payloadCount} in ${source} (--format whole makes one)`,
  )
}

async function lengthOf(payloads: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0
  for await (const _ of payloads) length++
  return length
}
