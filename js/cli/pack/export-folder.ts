import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { keyOf } from 'alvarium-sdk'
import type { SigstoreFile } from 'alvarium-sdk/packs'
import { openAsSource } from 'alvarium-sdk/sources/node'
import { textOf } from '../../foundation/base/errors.js'
import { flushName } from '../../transport/streams/flush-name.js'
import { invalid, pathText } from '../fault.js'
import type { Session } from '../session.js'
import { writeNew } from '../set/files.js'

/** Returns the names of files by the SHA-256 payload keys of their contents. */
export async function payloadNames(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (const path of paths) names.set(await keyOf(await openAsSource(path), 'sha256'), basename(path))
  return names
}

/** Writes files into a new folder: after an error, neither the files nor the folder remain. */
export async function writeFolder(
  path: string,
  files: AsyncIterable<SigstoreFile>,
  session: Pick<Session, 'begin' | 'interrupted'>,
): Promise<void> {
  await mkdir(path).catch((error) => {
    throw invalid('--out', 'a new folder that can be made', `${pathText(path)}: ${textOf(error)}`)
  })
  try {
    for await (const { name, bytes } of files) await writeNew('--out', join(path, name), [bytes], session)
    await flushName(path)
    session.interrupted.throwIfAborted()
  } catch (error) {
    await rm(path, { recursive: true, force: true })
    throw error
  }
}
