import type { Policy } from 'alvarium-sdk/trust'
import { keyIdOf } from 'alvarium-sdk/verify'
import { readPackPolicy } from '../../evidence/packs/pack-scores.js'
import { readSource } from '../../evidence/trust/policy/policy-source.js'
import { textOf } from '../../foundation/base/errors.js'
import { invalid, pathText } from '../fault.js'
import { isFolder } from '../input/files.js'
import { textIn } from '../input/text.js'
import { keyFilesIn, type TrustOptions } from '../keys/trusted.js'
import { keyTextIn } from '../trust/key-text.js'

/**
 * Returns the trust policy for a pack: the one of `--trust`, or one that permits the keys of `--key`
 * everything. Call `trustedAt` first, because it reports errors with option names.
 */
export async function policyFor(options: TrustOptions): Promise<Policy> {
  if (options.trust !== undefined) return (await readSource(options.trust)).policy
  const signers = new Map<string, string>()
  for (const path of options.key ?? [])
    for (const text of await keysIn(path)) signers.set(keyIdOf(text), text)
  return { signers: [...signers].map(([name, key]) => ({ name, keys: [key] })) }
}

async function keysIn(path: string): Promise<string[]> {
  if (!(await isFolder(path))) return [await keyTextIn(path)]
  // Skip files that are not keys.
  const files = await keyFilesIn(path)
  const texts = await Promise.all(files.map((file) => keyTextIn(file).catch(() => undefined)))
  return texts.filter((text) => text !== undefined)
}

/** Reads a scoring policy for packs and returns it as JSON text. */
export async function scoreIn(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined
  const text = await textIn('--score', path)
  try {
    return readPackPolicy(text).json
  } catch (error) {
    throw invalid('--score', 'a file with a scoring policy as JSON', `${pathText(path)}: ${textOf(error)}`)
  }
}
