import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { keyOf, readKey } from 'alvarium-sdk'
import {
  type ExportedBundles,
  readPack,
  type SigstoreFile,
  toInToto,
  toProv,
  toSigstoreBundle,
  type VerifiedPack,
} from 'alvarium-sdk/packs'
import { openAsSource } from 'alvarium-sdk/sources/node'
import { MAX_PACK_BYTES } from '../../evidence/packs/file/zip.js'
import { conflicts, needs, textOf } from '../../foundation/base/errors.js'
import { flushParentFolder } from '../../transport/streams/flush-name.js'
import { invalid, onlyWith, pathText } from '../fault.js'
import { sourceOf } from '../input/source.js'
import { type StoredOptions, trustedAt } from '../keys/trusted.js'
import { exitOf, type Run, type Session } from '../session.js'
import { assertFree, writeNew } from '../set/files.js'
import { showProgress } from '../terminal/progress.js'
import { bold, green, safeText } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import { packRows, unreadPack, unreadRows } from './report.js'

interface ExportOptions extends StoredOptions {
  readonly as: keyof typeof FORMS
  readonly out: string
  readonly signingKey?: string
  readonly payload?: readonly string[]
}

const FORMS = { 'in-toto': 'in-toto statements', sigstore: 'Sigstore bundles', prov: 'PROV' }

export const run: Run<ExportOptions> = async ([path = ''], options, session) => {
  const { as, out, signingKey, payload = [] } = options
  assertFitting(options)
  assertFree('--out', out)
  const trusted = await trustedAt(options, session.err)
  const key = signingKey === undefined ? undefined : await readKey(signingKey)
  session.begin()
  const source = sourceOf(path, session.input).bytes()
  const { bundles, found } = countedBundles(readPack(source, { ...trusted, maxBytes: MAX_PACK_BYTES }))
  const line = () => safeText`${countOf(found.bundles, 'bundle')}`
  try {
    await showProgress(session, line, async () => {
      if (as !== 'sigstore') return writeNew('--out', out, piecesOf(bundles, key), session)
      const names = await payloadNames(payload)
      await writeFolder(out, toSigstoreBundle(bundles, { signingKey: key as Uint8Array, names }), session)
    })
  } catch (error) {
    const unread = unreadPack(error)
    if (!unread || session.interrupted.aborted) throw error
    await session.out.lines(unreadRows(unread))
    return exitOf(unread.outcome)
  } finally {
    key?.fill(0)
  }
  const pack = found.pack as VerifiedPack
  await tell(pack, options, session)
  return exitOf(pack.outcome)
}

/** Counts the bundles that are read, and keeps the pack. A consumer that stops early closes `reading`, too. */
function countedBundles(reading: ReturnType<typeof readPack>) {
  const found: { bundles: number; pack?: VerifiedPack } = { bundles: 0 }
  async function* all() {
    found.pack = yield* reading
  }
  async function* bundles() {
    for await (const bundle of all()) {
      found.bundles++
      yield bundle
    }
  }
  return { bundles: bundles(), found }
}

function assertFitting({ as, signingKey, payload }: ExportOptions): void {
  if ((as === 'prov') !== (signingKey === undefined)) {
    if (as === 'prov') throw conflicts('--signing-key', '--as prov, which has no signature')
    throw needs('--signing-key', 'the file of your private key')
  }
  if (as === 'sigstore' || payload === undefined) return
  throw onlyWith('--payload', '--as sigstore, which names files')
}

function piecesOf(bundles: ExportedBundles, signingKey: Uint8Array | undefined): AsyncIterable<Uint8Array> {
  return signingKey ? toInToto(bundles, { signingKey }) : toProv(bundles)
}

async function tell(found: VerifiedPack, { as, out }: ExportOptions, session: Session): Promise<void> {
  await session.out.lines(packRows(found))
  const { bundles } = found.verdict
  await session.out.line(safeText`${green('✓')} ${bold(out)}: ${countOf(bundles, 'bundle')} as ${FORMS[as]}`)
  const classic = found.fabric.size - bundles
  if (classic === 0) return
  await session.err.note(`left out, as other SDKs sign no bundle: ${countOf(classic, 'annotation')}`)
}

async function payloadNames(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (const path of paths) names.set(await keyOf(await openAsSource(path), 'sha256'), basename(path))
  return names
}

async function writeFolder(
  path: string,
  files: AsyncIterable<SigstoreFile>,
  session: Pick<Session, 'begin' | 'interrupted'>,
): Promise<void> {
  await mkdir(path).catch((error) => {
    throw invalid('--out', 'a new folder that can be made', `${pathText(path)}: ${textOf(error)}`)
  })
  try {
    for await (const { name, bytes } of files) await writeNew('--out', join(path, name), [bytes], session)
    await flushParentFolder(path)
    session.interrupted.throwIfAborted()
  } catch (error) {
    await rm(path, { recursive: true, force: true })
    throw error
  }
}
