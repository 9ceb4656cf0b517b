// Signs a folder in the format of OpenSSF Model Signing, for `alvarium set seal --as oms`.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type OmsFile, type OmsOptions, toOmsBundle } from 'alvarium-sdk/packs'
import { IGNORED_PATHS } from '../../evidence/packs/exports/oms.js'
import { conflicts } from '../../foundation/base/errors.js'
import { invalid, pathText } from '../fault.js'
import type { Session } from '../session.js'
import { assertFree } from './files.js'

export interface Model {
  readonly folder: string
  readonly names: readonly string[]
}

/** Lists the files of the folder to sign. */
export async function modelOf(
  sources: readonly string[],
  { signature, salt }: { readonly signature: string; readonly salt?: string },
): Promise<Model> {
  assertFree('--signature', signature)
  const [folder = '', ...more] = sources
  const isFolder = more.length === 0 && (await stat(folder).catch(() => undefined))?.isDirectory()
  if (!isFolder) throw invalid('source', 'one folder for --as oms', sources.map(pathText).join(' '))
  if (salt !== undefined) throw conflicts('--salt', '--as oms, which shows the digests of files')
  return { folder, names: await namesIn(folder) }
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names: string[] = []
  for (const entry of entries) {
    const name = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')
    if (IGNORED_PATHS.some((path) => name === path || name.startsWith(`${path}/`))) continue
    if (entry.isSymbolicLink() || entry.name.startsWith('.')) {
      throw invalid(
        'source',
        'a folder without links or hidden files (other than those of git)',
        pathText(name),
      )
    }
    if (entry.isFile()) names.push(name)
  }
  return names
}

export async function signatureOf(
  { folder, names }: Model,
  options: OmsOptions,
  session: Session,
): Promise<Uint8Array> {
  const files: OmsFile[] = []
  for (const name of names) files.push({ name, digest: await digestIn(join(folder, name), session) })
  return toOmsBundle(files, { ...options, name: options.name || basename(resolve(folder)) })
}

async function digestIn(path: string, { interrupted }: Session): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash, { signal: interrupted })
  return hash.digest('hex')
}
