import * as v from 'valibot'
import { AlvariumError, describe, expected } from '../errors.js'
import { isQuotable, isWellFormed, printable, urlIn, utf8Length } from '../text/text.js'
import { existingOption, hint, shorten } from './names.js'

/** Returns the schema of an integer within bounds, or the default. */
export function integer(least: number, most: number, fallback: number) {
  const expected = `an integer from ${least} to ${most}`
  return v.optional(
    v.pipe(v.number(expected), v.integer(expected), v.minValue(least, expected), v.maxValue(most, expected)),
    fallback,
  )
}

/** Returns the schema of an integer that a double holds exactly. */
export function wholeNumber(least: number, expected: string) {
  return v.pipe(v.number(expected), v.safeInteger(expected), v.minValue(least, expected))
}

/** Returns the schema of a text with a maximum length in bytes of UTF-8. */
export function text(most: number) {
  return v.pipe(
    v.string('a string'),
    v.check((given) => utf8Length(given) <= most, `at most ${most} bytes`),
    v.check(isWellFormed, 'whole characters'),
  )
}

/** Returns the schema of a text with an exact number of lower-case hexadecimal digits. */
export function digits(count: number) {
  const expected = `${count} lower-case hexadecimal digits`
  return v.pipe(v.string(expected), v.regex(new RegExp(`^[0-9a-f]{${count}}$`), expected))
}

/** Maximum delay of `setTimeout`, in milliseconds. */
export const MAX_TIMEOUT_MS = 2_147_483_647

/**
 * Checks options against a schema whose messages say what is expected, and fills in the defaults.
 *
 * @param root - name of the options in error texts, for example `stream`; empty for the outermost
 * @throws AlvariumError `CONFIG_INVALID` naming the first invalid option, the expected value, and the received one
 */
export function readOptions<T extends v.GenericSchema>(
  schema: T,
  options: unknown,
  root = '',
): v.InferOutput<T> {
  const result = parse(schema, options, root)
  if (result.success) return result.output
  // An unknown name has precedence: it may be the misspelt name of a missing option.
  const issue = result.issues.find(isUnknownName) ?? result.issues[0]
  throw new AlvariumError('CONFIG_INVALID', faultOf(issue, stepsOf(issue), root))
}

/** Maximum number of reported faults. */
const MAX_FAULTS = 50

/**
 * Checks the contents of a file against a schema, like `readOptions`, but reports all faults at once.
 *
 * @param value - value of JSON
 * @throws AlvariumError `CONFIG_INVALID`, with a line for each invalid member
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

/** Fault of one member. */
interface LeafIssue {
  readonly issue: v.BaseIssue<unknown>
  readonly steps: readonly PathStep[]
}

/** Returns the faults inside a union: only those of the alternative that has the value's type. */
function leavesOf(issue: v.BaseIssue<unknown>, above: readonly PathStep[]): LeafIssue[] {
  const steps = [...above, ...stepsOf(issue)]
  const seemed = Array.isArray(issue.input) ? 'array' : 'object'
  const inside = (issue.issues ?? []).filter(({ path }) => path?.[0].type === seemed)
  return inside.length === 0 ? [{ issue, steps }] : inside.flatMap((one) => leavesOf(one, steps))
}

/** Parses options. They are an application's objects, whose getters can throw. */
function parse<T extends v.GenericSchema>(schema: T, options: unknown, root: string): v.SafeParseResult<T> {
  try {
    return v.safeParse(schema, options, { abortPipeEarly: true })
  } catch (cause) {
    if (cause instanceof AlvariumError) throw cause
    throw expected('CONFIG_INVALID', root || 'options', 'options that can be read', undefined, cause)
  }
}

/** Describes the fault of an option: its path, the expected value and the received one. */
function faultOf(issue: v.BaseIssue<unknown>, steps: readonly PathStep[], root: string): string {
  const path = pathOf(steps, root)
  // For an unknown name, `issue.input` is the name. Its value is only described: it may be a password under a misspelt name.
  const got = isUnknownName(issue) ? describe(steps.at(-1)?.value) : show(path, issue.input)
  // valibot's own messages quote the value.
  const what = issue.message.startsWith('Invalid ') ? (issue.expected ?? 'another value') : issue.message
  return `${path}: expected ${what}, got ${printable(got)}`
}

function pathOf(steps: readonly PathStep[], root: string): string {
  const names = steps.map(({ key }) => printable(shorten(String(key))))
  return [root, ...names].filter(Boolean).join('.') || 'options'
}

/**
 * Step on the path to an option: a name or an index, the value there, and the object or array that contains
 * it.
 */
interface PathStep {
  readonly key: unknown
  readonly value: unknown
  readonly input: unknown
}

function stepsOf({ path }: v.BaseIssue<unknown>): readonly PathStep[] {
  return path ?? []
}

function isUnknownName({ kind, expected }: v.BaseIssue<unknown>): boolean {
  return kind === 'schema' && expected === 'never'
}

/** Returns the schema of an enumeration of words. */
export function oneOf<const Words extends readonly string[]>(words: Words) {
  return v.picklist(words, ({ input }) => joinWithOr(words, input))
}

/** Returns `a, b or c`, with the probably intended word in brackets. */
export function joinWithOr(words: readonly string[], got: unknown): string {
  const last = words.length - 1
  const list = last > 0 ? `${words.slice(0, last).join(', ')} or ${words[last]}` : words.join()
  return typeof got === 'string' ? `${list}${hint(got, words)}` : list
}

/** Returns whether a value is an object with these methods. */
export function hasMethods(value: unknown, ...methods: string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  return methods.every((method) => typeof Reflect.get(value, method) === 'function')
}

/** Returns the schema of a plug-in: an object with these methods. */
export function withMethods<T>(expected: string, ...methods: string[]) {
  return v.custom<T>((value) => hasMethods(value, ...methods), expected)
}

/**
 * Limits the length of a list. A longer one is refused before its items are validated, which would take long.
 */
export function withMaxItems<List extends v.GenericSchema>(list: List, most: number, what: string): List {
  const tooLong = v.custom<v.InferOutput<List>>(() => false, `at most ${most} ${what}`)
  const isTooLong = (value: unknown) => Array.isArray(value) && value.length > most
  const run: List['~run'] = (dataset, config) =>
    (isTooLong(dataset.value) ? tooLong : list)['~run'](dataset, config)
  return { ...list, '~run': run }
}

/** Returns the schema of an object with only these options. */
export function strict<const Entries extends v.ObjectEntries>(entries: Entries) {
  const names = Object.keys(entries)
  const alone: Entries = Object.assign(Object.create(null), entries)
  const schema = v.strictObject(alone, (issue) => {
    if (issue.expected === 'Object') return 'an object with options'
    if (issue.expected !== 'never') return 'a value for this option'
    return existingOption(String(issue.path?.at(-1)?.key), names)
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

/** Adds the other unknown names of an object, because valibot reports only the first. */
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
    read.issues?.push({ ...first, input: key, message: existingOption(key, names), path })
  }
  return read
}

/** Copies options without the members that a program added to `Object.prototype`. Members of the options' own class are options. */
function withoutInherited(options: object): object {
  const own: Record<string, unknown> = Object.create(null)
  for (let from: object = options; from && from !== Object.prototype; from = Object.getPrototypeOf(from)) {
    for (const name of Object.getOwnPropertyNames(from)) {
      if (name !== 'constructor') own[name] = Reflect.get(options, name)
    }
  }
  return own
}

/** Shows a value in an error text. Secrets, URLs (which may contain them) and long values are described, never quoted. */
export function show(path: string, value: unknown): string {
  if (path.endsWith('url') && typeof value === 'string') return shownUrl(value)
  if (typeof value === 'number' || typeof value === 'boolean')
    return FOR_SECRETS.test(path) ? describe(value) : String(value)
  if (typeof value !== 'string') return describe(value)
  const isSafe = isQuotable(value) && !FOR_SECRETS.test(path)
  return isSafe ? JSON.stringify(value) : `a string of ${value.length} characters`
}

/** Names of options whose values are never quoted, not even numbers. */
const FOR_SECRETS = /key|url|user|password|tls|token|salt|seed|secret|credential|header/i

/**
 * Returns whether a URL has no user and no password, not even in its path: a typing mistake turns `ws://me:secret@other` into
 * `ws://host/me:secret@other`.
 */
export function isAnonymous(url: string): boolean {
  const { username, password, pathname } = new URL(url)
  return `${username}${password}` === '' && !/@|%40/.test(pathname)
}

/** Shows a URL in errors and logs, without its credentials and its query, which may be a signed token. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = urlIn(url) ?? { host: '', pathname: '' }
  if (host === '') return 'a string that is not a URL'
  return `${protocol}//${host}${/@|%40/.test(pathname) ? '/…' : pathname}`
}
