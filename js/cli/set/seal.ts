import { rm } from 'node:fs/promises'
import { readKey } from 'alvarium-sdk'
import type { SourceRecord } from 'alvarium-sdk/records'
import { type SetItem, sealManifest, sealSet } from 'alvarium-sdk/sets'
import { recordsOf } from '../check/messages.js'
import { invalid } from '../fault.js'
import type { FormatOptions } from '../input/payloads.js'
import { ReadShare } from '../input/read-share.js'
import { EXIT, type ExitCode, type Run, type Session } from '../session.js'
import { ProgressLine } from '../terminal/progress.js'
import { bold, green, safeText } from '../terminal/safe-text.js'
import { count, countOf } from '../terminal/words.js'
import { assertFree, saltIn, writeNew } from './files.js'
import { type Model, modelOf, signatureOf } from './oms.js'

interface SealOptions extends FormatOptions {
  readonly key: string
  readonly seed?: boolean
  readonly name: string
  readonly payloadKeys?: boolean
  readonly salt?: string
  readonly out: string
  readonly list: string
  readonly manifest?: string
  readonly as?: 'oms'
  readonly signature: string
}

export const run: Run<SealOptions> = async (sources, options, session) => {
  const { out, list: listFile, name, manifest } = options
  if (manifest === undefined) assertFree('--out', out)
  if (manifest === undefined) assertFree('--list', listFile)
  assertFree('--manifest', manifest)
  const model = options.as === 'oms' ? await modelOf(sources, options) : undefined
  const salt = await saltIn(options.salt)
  const signingKey = await readKey(options.key, { seed: options.seed ?? false })
  const share = await ReadShare.of(sources)
  const items = new Items(sources, options, session, share.addBytes)
  const progress = new ProgressLine(session, () => share.before(safeText`${count(items.read)} read`))
  progress.begin()
  const sealing = { items: items.all(), signingKey, name, salt, model, end: () => progress.end() }
  try {
    return await (manifest === undefined
      ? sealedSet(sealing, options, session)
      : sealedManifest(sealing, manifest, session))
  } finally {
    progress.end()
    signingKey.fill(0)
  }
}

interface Sealing {
  readonly items: AsyncIterable<SetItem>
  readonly signingKey: Uint8Array
  readonly name: string
  readonly salt: Uint8Array | undefined
  readonly model: Model | undefined
  /** Removes the progress line. */
  readonly end: () => void
}

async function sealedSet(
  { items, signingKey, name, salt, model, end }: Sealing,
  { out, list: listFile, signature: signatureFile }: SealOptions,
  session: Session,
): Promise<ExitCode> {
  const { message, set, list } = await sealSet(items, { signingKey, name, salt })
  if (session.interrupted.aborted) return EXIT.interrupted
  const signature = model && (await signatureOf(model, { signingKey, name, set }, session))
  // Write the list first: it must exist when readers of the message ask for proofs.
  await writeNew('--list', listFile, list.pieces(), session)
  await writeNew('--out', out, [message, Uint8Array.of(0x0a)], session).catch(async (error) => {
    await rm(listFile, { force: true })
    throw error
  })
  if (signature) await writeNew('--signature', signatureFile, [signature], session)
  end()
  const { rows, size, signer } = set
  await session.out.line(
    safeText`${green('✓')} ${count(rows)} sealed, ${count(size)} different, by ${bold(signer)}`,
  )
  await session.out.line(safeText`  ${out}  to publish: give it to everyone who verifies`)
  await session.out.line(safeText`  ${listFile}  to keep: proofs are made of it`)
  if (model) {
    const shell = safeText`model_signing verify key ${model.folder} --signature ${signatureFile} --public_key …`
    await session.out.line(safeText`  ${signatureFile}  to publish: for ${shell}`)
  }
  return EXIT.yes
}

async function sealedManifest(
  { items, signingKey, name, salt, end }: Sealing,
  file: string,
  session: Session,
): Promise<ExitCode> {
  const manifest = await sealManifest(items, { signingKey, name, salt })
  if (session.interrupted.aborted) return EXIT.interrupted
  await writeNew('--manifest', file, manifest.pieces(), session)
  end()
  const { size, signer } = manifest.statement
  await session.out.line(
    safeText`${green('✓')} ${countOf(size, 'record')} sealed in order, by ${bold(signer)}`,
  )
  await session.out.line(safeText`  ${file}  to publish with the data: alvarium check compares them`)
  return EXIT.yes
}

/** Payloads or payload keys of all sources, counted as they are read. */
class Items {
  read = 0
  readonly #sources: readonly string[]
  readonly #options: SealOptions
  readonly #session: Session
  readonly #addBytes: (bytes: number) => void

  constructor(
    sources: readonly string[],
    options: SealOptions,
    session: Session,
    addBytes: (bytes: number) => void,
  ) {
    this.#sources = sources
    this.#options = options
    this.#session = session
    this.#addBytes = addBytes
  }

  async *all(): AsyncGenerator<SetItem, void> {
    const { payloadKeys = false } = this.#options
    const form: FormatOptions = payloadKeys ? { ...this.#options, format: 'lines' } : this.#options
    for (const source of this.#sources) {
      const records = recordsOf(source, form, this.#session, this.#addBytes)
      for await (const record of records) {
        this.read++
        if ('keyFor' in record) yield record.keyFor('sha256')
        else yield payloadKeys ? payloadKeyIn(record) : record
      }
    }
  }
}

/** Parses a line as a payload key. @throws AlvariumError `CONFIG_INVALID` naming the line */
function payloadKeyIn({ bytes, name, line }: SourceRecord): string {
  const key = Buffer.from(bytes).toString('latin1').trim()
  if (/^[\da-f]{64}$/i.test(key)) return key
  throw invalid(`${name}:${line}`, 'a payload key of sha256, 64 hexadecimal digits', 'another text')
}
