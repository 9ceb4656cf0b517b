import { AlvariumError, codeOf, describe, textOf } from '../../foundation/base/errors.js'
import { readJsonOrYaml } from '../../foundation/base/options/json-or-yaml.js'
import { utf8In } from '../../foundation/base/text/text.js'
import { platform } from '../../foundation/platform/platform.js'
import { fromAllowedSigners, isAllowedSigners } from './allowed-signers.js'
import { fromJwks, isJwks } from './jwks.js'
import type { Policy } from './policy.js'
import type { WrittenPolicy } from './skipped.js'

/** Limit in bytes, or in characters of a text: 10,000 signers have about 2 MiB. YAML has lower limits: see `written`. */
export const LONGEST = 32 * 1024 * 1024
/** Limit of the characters of a path that an error shows. */
const MOST_TOLD = 100
const POLICY = { name: 'trust', maxLength: LONGEST }

/** Returns whether a text is the path of a file: one line that does not begin an object or an array. Policies have more lines. */
export function isPath(source: string): boolean {
  return !/[\r\n]/.test(source) && !/^\s*[{[]/.test(source)
}

/** Reads a policy in any form, without checking it. @throws AlvariumError `CONFIG_INVALID` */
export async function policyIn(source: unknown): Promise<WrittenPolicy> {
  if (typeof source !== 'string') return asPolicy(source)
  const text = isPath(source) ? await textIn(source) : source
  if (await isAllowedSigners(text)) return fromAllowedSigners(text)
  return asPolicy(await policyWritten(text))
}

/** Reads the JSON or YAML of a policy, without checking it. @throws AlvariumError `CONFIG_INVALID` */
export function policyWritten(text: string): Promise<unknown> {
  return readJsonOrYaml(text, POLICY)
}

function asPolicy(value: unknown): WrittenPolicy | Promise<WrittenPolicy> {
  if (isJwks(value)) return fromJwks(value)
  if (typeof value === 'object' && value !== null) return { policy: value as Policy, skippedKeys: [] }
  const expected = 'a policy: an object, JSON or YAML of one, or the path of a file'
  throw new AlvariumError('CONFIG_INVALID', `trust: expected ${expected}, got ${describe(value)}`)
}

/** @throws AlvariumError `CONFIG_INVALID` */
export async function textIn(path: string): Promise<string> {
  try {
    const files = await platform.policyFiles?.()
    if (!files) throw new Error('a path, and there are no files here: fetch the policy, and pass its text')
    const bytes = await files.readFile(path, LONGEST)
    return utf8In(bytes)
  } catch (cause) {
    throw path.length <= MOST_TOLD ? unreadable(textOf(cause), cause) : unreadably(path, cause)
  }
}

/** Returns an error that shows the mistake of a policy passed in one line, without writing all of it to a log. */
function unreadably(path: string, cause: unknown): AlvariumError {
  // The file system's error texts quote the path.
  const code = codeOf(cause)
  const why = typeof code === 'string' ? code : textOf(cause)
  return unreadable(`${why} for a path of ${path.length} characters; a text of one line is a path`)
}

function unreadable(got: string, cause?: unknown): AlvariumError {
  const text = `trust: expected the path of a readable file in UTF-8, got: ${got}`
  return new AlvariumError('CONFIG_INVALID', text, cause === undefined ? {} : { cause })
}
