import { rm } from 'node:fs/promises'
import { readKey } from 'alvarium-sdk'
import type { SourceRecord } from 'alvarium-sdk/records'
import { type SetItem, sealManifest, sealSet } from 'alvarium-sdk/sets'
import { recordsOf } from '../check/messages.js'
import { invalid } from '../fault.js'
import type { FormatOptions } from '../input/payloads.js'
import { readShareOf } from '../input/read-share.js'
import { EXIT, type Run, type Session } from '../session.js'
import { showProgress } from '../terminal/progress.js'
import { bold, green, type SafeText, safeText } from '../terminal/safe-text.js'
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
  const share = await readShareOf(sources)
  let read = 0
  const line = () => share.before(safeText`${count(read)} read`)
  const items = itemsOf(sources, options, session, share.addBytes, () => read++)
  const sealing = { items, signingKey, name, salt, model }
  try {
    const rows = await showProgress(session, line, () =>
      manifest === undefined
        ? sealedSet(sealing, options, session)
        : sealedManifest(sealing, manifest, session),
    )
    if (!rows) return EXIT.interrupted
    await session.out.lines(rows)
    return EXIT.yes
  } finally {
    signingKey.fill(0)
  }
}

interface Sealing {
  readonly items: AsyncIterable<SetItem>
  readonly signingKey: Uint8Array
  readonly name: string
  readonly salt: Uint8Array | undefined
  readonly model: Model | undefined
}

/** Seals a set and writes its files. @returns the rows to print; undefined after an interruption */
async function sealedSet(
  { items, signingKey, name, salt, model }: Sealing,
  { out, list: listFile, signature: signatureFile }: SealOptions,
  session: Session,
): Promise<SafeText[] | undefined> {
  const { message, set, list } = await sealSet(items, { signingKey, name, salt })
  if (session.interrupted.aborted) return undefined
  const signature = model && (await signatureOf(model, { signingKey, name, set }, session))
  // Write the list first: it must exist when readers of the message ask for proofs.
  await writeNew('--list', listFile, list.pieces(), session)
  await writeNew('--out', out, [message, '\n'], session).catch(async (error) => {
    await rm(listFile, { force: true })
    throw error
  })
  if (signature) await writeNew('--signature', signatureFile, [signature], session)
  const { rows, size, signer } = set
  const rowsOfSet = [
    safeText`${green('✓')} ${count(rows)} sealed, ${count(size)} different, by ${bold(signer)}`,
    safeText`  ${out}  to publish: give it to everyone who verifies`,
    safeText`  ${listFile}  to keep: proofs are made of it`,
  ]
  if (!model) return rowsOfSet
  const shell = safeText`model_signing verify key ${model.folder} --signature ${signatureFile} --public_key …`
  return [...rowsOfSet, safeText`  ${signatureFile}  to publish: for ${shell}`]
}

/** Seals a manifest and writes its file. @returns the rows to print; undefined after an interruption */
async function sealedManifest(
  { items, signingKey, name, salt }: Sealing,
  file: string,
  session: Session,
): Promise<SafeText[] | undefined> {
  const manifest = await sealManifest(items, { signingKey, name, salt })
  if (session.interrupted.aborted) return undefined
  await writeNew('--manifest', file, manifest.pieces(), session)
  const { size, signer } = manifest.statement
  return [
    safeText`${green('✓')} ${countOf(size, 'record')} sealed in order, by ${bold(signer)}`,
    safeText`  ${file}  to publish with the data: alvarium check compares them`,
  ]
}

/** Yields the payloads or payload keys of all sources. @param counted - called for each item */
async function* itemsOf(
  sources: readonly string[],
  options: SealOptions,
  session: Session,
  addBytes: (bytes: number) => void,
  counted: () => void,
): AsyncGenerator<SetItem, void> {
  const { payloadKeys = false } = options
  const form: FormatOptions = payloadKeys ? { ...options, format: 'lines' } : options
  for (const source of sources) {
    for await (const record of recordsOf(source, form, session, addBytes)) {
      counted()
      if ('keyFor' in record) yield record.keyFor('sha256')
      else yield payloadKeys ? payloadKeyIn(record) : record
    }
  }
}

function payloadKeyIn({ bytes, name, line }: SourceRecord): string {
  const key = Buffer.from(bytes).toString('latin1').trim()
  if (/^[\da-f]{64}$/i.test(key)) return key
  throw invalid(`${name}:${line}`, 'a payload key of sha256, 64 hexadecimal digits', 'another text')
}
