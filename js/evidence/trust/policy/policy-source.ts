import { AlvariumError, codeOf, describe, textOf } from '../../../foundation/base/errors.js'
import { readJsonOrYaml } from '../../../foundation/base/options/json-or-yaml.js'
import { utf8In } from '../../../foundation/base/text/text.js'
import { platform } from '../../../foundation/platform/platform.js'
import { isAllowedSigners, policyOfAllowedSigners } from './allowed-signers.js'
import { isJwks, policyOfJwks } from './jwks.js'
import type { Policy } from './policy.js'
import type { WrittenPolicy } from './skipped-keys.js'

/**
 * Maximum length of a policy in bytes or characters: 10,000 signers take 2 MiB. YAML's limits are lower
 * (`readJsonOrYaml`).
 */
export const MAX_POLICY_BYTES = 32 * 1024 * 1024
/** Maximum length in characters of a path that an error shows. */
const MAX_SHOWN_PATH = 100
const POLICY = { name: 'trust', maxLength: MAX_POLICY_BYTES }

/** Returns whether a text is a path: one line that does not begin like JSON. YAML policies have several lines. */
export function isPath(source: string): boolean {
  return !/[\r\n]/.test(source) && !/^\s*[{[]/.test(source)
}

/** Reads a policy from an object, a text or a file, without validating it. @throws AlvariumError `CONFIG_INVALID` */
export async function readSource(source: unknown): Promise<WrittenPolicy> {
  if (typeof source !== 'string') return asPolicy(source)
  const text = isPath(source) ? await readText(source) : source
  if (await isAllowedSigners(text)) return policyOfAllowedSigners(text)
  return asPolicy(await parsePolicy(text))
}

export function parsePolicy(text: string): Promise<unknown> {
  return readJsonOrYaml(text, POLICY)
}

function asPolicy(value: unknown): WrittenPolicy | Promise<WrittenPolicy> {
  if (isJwks(value)) return policyOfJwks(value)
  if (typeof value === 'object' && value !== null) return { policy: value as Policy, skippedKeys: [] }
  const expected = 'a policy as an object, JSON or YAML, or the path of its file'
  throw new AlvariumError('CONFIG_INVALID', `trust: expected ${expected}, got ${describe(value)}`)
}

export async function readText(path: string): Promise<string> {
  try {
    const files = await platform.policyFiles?.()
    if (!files) throw new Error('a path, and there are no files here: fetch the policy, and pass its text')
    const bytes = await files.readFile(path, MAX_POLICY_BYTES)
    return utf8In(bytes)
  } catch (cause) {
    throw path.length <= MAX_SHOWN_PATH ? unreadable(textOf(cause), cause) : unreadablePath(path, cause)
  }
}

/** Returns the error for a long path, which may be a policy in one line. Logs must not contain the whole policy. */
function unreadablePath(path: string, cause: unknown): AlvariumError {
  // Use the error code, because the file system's error texts quote the path.
  const code = codeOf(cause)
  const why = typeof code === 'string' ? code : textOf(cause)
  return unreadable(`${why} for a path of ${path.length} characters; a text of one line is a path`)
}

function unreadable(got: string, cause?: unknown): AlvariumError {
  const text = `trust: expected the path of a readable file in UTF-8, got: ${got}`
  return new AlvariumError('CONFIG_INVALID', text, cause === undefined ? {} : { cause })
}

/** Maximum depth to copy: signers have keys, and keys have members. */
const MAX_DEPTH = 8

/** Copies a policy, because the caller may change it while it is read. @throws AlvariumError `CONFIG_INVALID` */
export function copyPolicy<T>(policy: T): T {
  try {
    return copyValue(policy, MAX_DEPTH) as T
  } catch (cause) {
    const text = `trust: expected a policy that can be read, got: ${textOf(cause)}`
    throw new AlvariumError('CONFIG_INVALID', text, { cause })
  }
}

/** Copies arrays and plain objects. Other values of a policy are bytes, or the schema refuses them. */
function copyValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value
  if (Array.isArray(value)) return value.map((one) => copyValue(one, depth - 1))
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const copy: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(value)) put(copy, name, copyValue(one, depth - 1))
  return copy
}

/** Sets a member as JSON does, even `__proto__`. One call per member takes half the time of `Object.fromEntries`. */
function put(copy: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') copy[name] = value
  else Object.defineProperty(copy, name, { value, enumerable: true })
}
