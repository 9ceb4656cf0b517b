import * as v from 'valibot'
import { AlvariumError, describe } from './errors.js'
import { existing } from './names.js'

/** An integer within bounds, or the default. */
export function integer(least: number, most: number, fallback: number) {
  const expected = `an integer from ${least} to ${most}`
  return v.optional(
    v.pipe(v.number(expected), v.integer(expected), v.minValue(least, expected), v.maxValue(most, expected)),
    fallback,
  )
}

/** The longest that `setTimeout` waits, in milliseconds. */
export const LONGEST_TIMEOUT = 2_147_483_647

/**
 * Checks options against a schema whose messages say what is expected, and fills in the defaults.
 *
 * @param root - what the options are called in messages, for example `stream`; empty for the outermost
 * @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work, what was expected and what came
 */
export function readOptions<T extends v.GenericSchema>(
  schema: T,
  options: unknown,
  root = '',
): v.InferOutput<T> {
  const result = v.safeParse(schema, options, { abortPipeEarly: true })
  if (result.success) return result.output
  // What is missing may be what was misspelt.
  const issue = result.issues.find(isUnknownName) ?? result.issues[0]
  const steps = issue.path ?? []
  const path = [root, ...steps.map((step) => String(step.key))].filter(Boolean).join('.') || 'options'
  // Of an unknown name valibot shows the name.
  const got = isUnknownName(issue) ? steps.at(-1)?.value : issue.input
  throw new AlvariumError('CONFIG_INVALID', `${path}: expected ${issue.message}, got ${show(path, got)}`)
}

function isUnknownName({ kind, expected }: v.BaseIssue<unknown>): boolean {
  return kind === 'schema' && expected === 'never'
}

/** Whether it is an object that has these methods. */
export function hasMethods(value: unknown, ...methods: string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  return methods.every((method) => typeof Reflect.get(value, method) === 'function')
}

/** What plugs in: an object that has these methods. */
export function withMethods<T>(expected: string, ...methods: string[]) {
  return v.custom<T>((value) => hasMethods(value, ...methods), expected)
}

/** Options by name, no others. */
export function strict<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.strictObject(entries, (issue) => {
    if (issue.expected === 'Object') return 'an object with options'
    if (issue.expected !== 'never') return 'a value for this option'
    return existing(String(issue.path?.at(-1)?.key), Object.keys(entries))
  })
}

/** Credentials, keys and URLs (which may carry either) are described, never quoted; so is what is long. */
function show(path: string, value: unknown): string {
  if (path.endsWith('url') && typeof value === 'string') return shownUrl(value)
  const isQuotable = ['number', 'boolean', 'string'].includes(typeof value)
  return isQuotable && String(value).length <= 100 && !/key|url|username|password|tls/i.test(path)
    ? String(JSON.stringify(value))
    : describe(value)
}

/** A URL fit for errors and logs: some carry a password or, in the query, a signed token. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = URL.canParse(url) ? new URL(url) : { host: '' }
  return host === '' ? 'a string that is not a URL' : `${protocol}//${host}${pathname}`
}
