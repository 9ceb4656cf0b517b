import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Policy } from 'alvarium-sdk/trust'
import { keyIdOf } from 'alvarium-sdk/verify'
import { AlvariumError, textOf } from '../../base/errors.js'
import { readPackPolicy } from '../../packs/scoring.js'
import { policyIn } from '../../trust/source.js'
import { invalid, named } from '../fault.js'
import { isFolder } from '../input/files.js'
import { openTrust, type TrustOptions, trustedBy } from '../keys/trusted.js'
import type { Session } from '../session.js'

/**
 * The trust policy that a pack has: that of `--trust`, or one in which the keys of `--key` may say everything.
 *
 * @throws AlvariumError `CONFIG_INVALID`, `KEY_INVALID`
 */
export async function policyFor(options: TrustOptions, session: Session): Promise<Policy> {
  // It says what is wrong with them in the words of the command.
  await trustedBy(options, session.input)
  if (options.trust !== undefined) {
    await (await openTrust(options.trust)).close()
    return (await policyIn(options.trust)) as Policy
  }
  const signers = new Map<string, string>()
  for (const path of options.key ?? []) for (const text of await keysIn(path)) addKey(signers, text)
  return { signers: [...signers].map(([name, key]) => ({ name, keys: [key] })) }
}

async function keysIn(path: string): Promise<string[]> {
  if (!(await isFolder(path))) return [await keyText(path)]
  const names = (await readdir(path)).sort()
  return Promise.all(names.map((name) => keyText(join(path, name)).catch(() => '')))
}

/** Raw keys are bytes, of 32 to 65; all other forms are text. */
async function keyText(path: string): Promise<string> {
  const bytes = await readFile(path)
  return bytes.length < SHORTEST_TEXT ? bytes.toString('hex') : bytes.toString('utf8').trim()
}

/** 32 bytes in hexadecimal. */
const SHORTEST_TEXT = 64

/** In a folder of keys there may be anything. */
function addKey(signers: Map<string, string>, text: string): void {
  try {
    signers.set(keyIdOf(text), text)
  } catch (error) {
    if (!(error instanceof AlvariumError)) throw error
  }
}

/** The text of a judging policy that packs take. @throws AlvariumError `CONFIG_INVALID` */
export async function scoreIn(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined
  try {
    return readPackPolicy(await readFile(path, 'utf8')).json
  } catch (error) {
    throw invalid('--score', 'a file with a judging policy as JSON', `${named(path)}: ${textOf(error)}`)
  }
}
