import * as v from 'valibot'
import { AlvariumError, describe, expected } from '../errors.js'
import { isQuotable, isWellFormed, printable, urlIn, utf8Length } from '../text/text.js'
import { hint, shorten, unknownOption } from './names.js'

/** Returns the valibot schema of an integer from `least` to `max`, with a default. */
export function integer(least: number, max: number, fallback: number) {
  const expected = `an integer from ${least} to ${max}`
  return v.optional(
    v.pipe(v.number(expected), v.integer(expected), v.minValue(least, expected), v.maxValue(max, expected)),
    fallback,
  )
}

/** Returns the schema of an integer from `least` to 2⁵³ − 1, the maximum safe integer. */
export function wholeNumber(least: number, expected: string) {
  return v.pipe(v.number(expected), v.safeInteger(expected), v.minValue(least, expected))
}

/** Returns the schema of a text of at most `maxBytes` bytes in UTF-8. */
export function text(maxBytes: number) {
  return v.pipe(
    v.string('a string'),
    v.check((given) => utf8Length(given) <= maxBytes, `at most ${maxBytes} bytes`),
    v.check(isWellFormed, 'a string without lone surrogates'),
  )
}

/** Returns the schema of a text of exactly `count` lower-case hexadecimal digits. */
export function digits(count: number) {
  const expected = `${count} lower-case hexadecimal digits`
  return v.pipe(v.string(expected), v.regex(new RegExp(`^[0-9a-f]{${count}}$`), expected))
}

/** Maximum delay of `setTimeout`, in milliseconds. */
export const MAX_TIMEOUT_MS = 2_147_483_647

/**
 * Validates options with a schema, and fills in the defaults. The schema's messages name the expected value.
 *
 * @param root - name of the options in error texts, for example `stream`; empty for the outermost options
 * @throws AlvariumError `CONFIG_INVALID` naming an unknown option, or else the first invalid one, the
 * expected and the received value
 */
export function readOptions<T extends v.GenericSchema>(
  schema: T,
  options: unknown,
  root = '',
): v.InferOutput<T> {
  const result = parse(schema, options, root)
  if (result.success) return result.output
  // Report an unknown name first, because it may be the misspelt name of a missing option.
  const issue = result.issues.find(isUnknownName) ?? result.issues[0]
  throw new AlvariumError('CONFIG_INVALID', faultOf(issue, issue.path ?? [], root))
}

const MAX_FAULTS = 50

/**
 * Validates the contents of a file with a schema, and reports its first 50 faults at once.
 *
 * @param value - parsed JSON
 * @throws AlvariumError `CONFIG_INVALID`, with a line for each invalid member, at most 50
 */
export function readAllFaults<T extends v.GenericSchema>(
  schema: T,
  value: unknown,
  root: string,
): v.InferOutput<T> {
  const result = v.safeParse(schema, value, { abortPipeEarly: true })
  if (result.success) return result.output
  const found = result.issues.flatMap((issue) => leavesOf(issue, [])).slice(0, MAX_FAULTS)
  const faults = new Set(found.map(({ issue, steps }) => faultOf(issue, steps, root)))
  throw new AlvariumError('CONFIG_INVALID', [...faults].join('\n'))
}

/** Steps on the path to an option: names and indexes. */
type Steps = readonly Pick<v.IssuePathItem, 'key'>[]

interface LeafIssue {
  readonly issue: v.BaseIssue<unknown>
  readonly steps: Steps
}

/** Returns the faults of single members. In a union, only the alternative with the value's type counts. */
function leavesOf(issue: v.BaseIssue<unknown>, above: Steps): LeafIssue[] {
  const steps = [...above, ...(issue.path ?? [])]
  const seemed = Array.isArray(issue.input) ? 'array' : 'object'
  const inside = (issue.issues ?? []).filter(({ path }) => path?.[0].type === seemed)
  return inside.length === 0 ? [{ issue, steps }] : inside.flatMap((one) => leavesOf(one, steps))
}

/** Validates options, and turns the errors of an application's getters into `CONFIG_INVALID`. */
function parse<T extends v.GenericSchema>(schema: T, options: unknown, root: string): v.SafeParseResult<T> {
  try {
    return v.safeParse(schema, options, { abortPipeEarly: true })
  } catch (cause) {
    if (cause instanceof AlvariumError) throw cause
    throw expected('CONFIG_INVALID', root || 'options', 'options that can be read', undefined, cause)
  }
}

function faultOf(issue: v.BaseIssue<unknown>, steps: Steps, root: string): string {
  const path = pathOf(steps, root)
  if (isUnknownName(issue)) return `${path}: ${issue.message}`
  // Replace the messages of valibot, because they quote the value.
  const expectation = issue.message.startsWith('Invalid ')
    ? (issue.expected ?? 'another value')
    : issue.message
  return `${path}: expected ${expectation}, got ${printable(show(path, issue.input))}`
}

function pathOf(steps: Steps, root: string): string {
  const names = steps.map(({ key }) => printable(shorten(String(key))))
  return [root, ...names].filter(Boolean).join('.') || 'options'
}

function isUnknownName({ kind, expected }: v.BaseIssue<unknown>): boolean {
  return kind === 'schema' && expected === 'never'
}

/** Returns the schema of a text that is one of these words. */
export function oneOf<const Words extends readonly string[]>(words: Words) {
  return v.picklist(words, ({ input }) => joinWithOr(words, input))
}

/** Returns `a, b or c`, followed by the word that `got` probably means, in brackets. */
export function joinWithOr(words: readonly string[], got: unknown): string {
  const last = words.length - 1
  const list = last > 0 ? `${words.slice(0, last).join(', ')} or ${words[last]}` : words.join()
  return typeof got === 'string' ? `${list}${hint(got, words)}` : list
}

export function hasMethods(value: unknown, ...methods: string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  return methods.every((method) => typeof Reflect.get(value, method) === 'function')
}

/** Returns the schema of a plug-in: an object with all the given methods. */
export function withMethods<T>(expected: string, ...methods: string[]) {
  return v.custom<T>((value) => hasMethods(value, ...methods), expected)
}

/** Adds a maximum length to a list's schema. It refuses a longer list before it validates the items, to save time. */
export function withMaxItems<List extends v.GenericSchema>(list: List, maxItems: number, noun: string): List {
  const tooLong = v.custom<v.InferOutput<List>>(() => false, `at most ${maxItems} ${noun}`)
  const isTooLong = (value: unknown) => Array.isArray(value) && value.length > maxItems
  const run: List['~run'] = (dataset, config) =>
    (isTooLong(dataset.value) ? tooLong : list)['~run'](dataset, config)
  return { ...list, '~run': run }
}

/** Returns the schema of an object with only these options. It ignores additions to `Object.prototype`. */
export function strict<const Entries extends v.ObjectEntries>(entries: Entries) {
  const names = Object.keys(entries)
  const alone: Entries = Object.assign(Object.create(null), entries)
  const schema = v.strictObject(alone, (issue) => {
    if (issue.expected === 'Object') return 'an object with options'
    if (issue.expected !== 'never') return 'a value for this option'
    return unknownOption(String(issue.path?.at(-1)?.key), names)
  })
  const run: (typeof schema)['~run'] = (dataset, config) => {
    const isClean = Object.keys(Object.prototype).length === 0
    if (isClean || typeof dataset.value !== 'object' || dataset.value === null) {
      return withAllUnknown(schema['~run'](dataset, config), names)
    }
    const read = schema['~run']({ ...dataset, value: withoutInherited(dataset.value) }, config)
    const missing = read.typed ? names.filter((name) => !Object.hasOwn(read.value as object, name)) : []
    for (const name of missing) Object.assign(read.value as object, { [name]: undefined })
    return read
  }
  return { ...schema, '~run': run }
}

/** Adds faults for up to 50 further unknown names of an object, because valibot reports only the first. */
function withAllUnknown<Dataset extends v.OutputDataset<unknown, v.BaseIssue<unknown>>>(
  read: Dataset,
  names: readonly string[],
): Dataset {
  const first = read.issues?.find((issue) => isUnknownName(issue) && issue.path?.length === 1)
  const [step] = first?.path ?? []
  if (!first || step?.type !== 'object') return read
  const input = step.input
  const others = Object.keys(input).filter((name) => name !== step.key && !names.includes(name))
  for (const key of others.slice(0, MAX_FAULTS)) {
    const path: typeof first.path = [{ ...step, key, value: input[key] }]
    read.issues?.push({ ...first, input: key, message: unknownOption(key, names), path })
  }
  return read
}

/** Copies options, with the members of their class, but without members that a program added to `Object.prototype`. */
function withoutInherited(options: object): object {
  const copy: Record<string, unknown> = Object.create(null)
  for (let from: object = options; from && from !== Object.prototype; from = Object.getPrototypeOf(from)) {
    for (const name of Object.getOwnPropertyNames(from)) {
      if (name !== 'constructor') copy[name] = Reflect.get(options, name)
    }
  }
  return copy
}

/** Returns a value as text for an error. It describes secrets and long values, and hides the credentials of URLs. */
export function show(path: string, value: unknown): string {
  if (path.endsWith('url') && typeof value === 'string') return shownUrl(value)
  if (typeof value === 'number' || typeof value === 'boolean')
    return FOR_SECRETS.test(path) ? describe(value) : String(value)
  if (typeof value !== 'string') return describe(value)
  const isSafe = isQuotable(value) && !FOR_SECRETS.test(path)
  return isSafe ? JSON.stringify(value) : `a string of ${value.length} characters`
}

/**
 * Pattern of the names of options whose values errors never quote. Errors show URLs without credentials and
 * queries.
 */
const FOR_SECRETS = /key|url|user|password|tls|token|salt|seed|secret|credential|header/i

/**
 * Returns whether a URL has no user and no password, not even in its path. A typing mistake turns
 * `ws://me:secret@other` into `ws://host/me:secret@other`.
 */
export function isAnonymous(url: string): boolean {
  const { username, password, pathname } = new URL(url)
  return `${username}${password}` === '' && !/@|%40/.test(pathname)
}

/** Returns a URL for errors and logs, without its credentials and without its query, which may be a signed token. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = urlIn(url) ?? { host: '', pathname: '' }
  if (host === '') return 'a string that is not a URL'
  return `${protocol}//${host}${/@|%40/.test(pathname) ? '/…' : pathname}`
}
