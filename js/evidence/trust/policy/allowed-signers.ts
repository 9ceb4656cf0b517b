import { AlvariumError } from '../../../foundation/base/errors.js'
import { isQuotable, printable, quote } from '../../../foundation/base/text/text.js'
import { trustTurns } from '../../../foundation/base/time/turns.js'
import { instantOf } from './instant.js'
import type { KeyEntry, PolicySigner } from './policy.js'
import { MAX_FAULTS } from './policy-schema.js'
import { listSkipped, type WrittenPolicy } from './skipped-keys.js'

const NAMESPACE = 'alvarium'
const KEY_TYPE = /^(?:ssh-|ecdsa-sha2-|sk-)\S+$/
const USABLE_TYPES = ['ssh-ed25519', 'ecdsa-sha2-nistp256']
/** Maximum length of a line in characters, which is more than any key needs. */
const MAX_LINE_CHARACTERS = 65_536
/** Part of a word (a quoted part may have spaces and commas), white space, or an unclosed quotation mark. */
const PART = /"(?:[^"\\]|\\.)*"|[^\s"]+|\s+|"/g
/**
 * Matches a key in a line with an unclosed quotation mark, because {@link wordsOf} returns no words of this
 * line. Matches no usual first line of JSON or YAML.
 */
const KEY_IN_LINE = /^[^{[].*\s(?:ssh-|ecdsa-sha2-|sk-)\S+\sAAAA/
const OPTION = /([\w-]+)(?:="((?:[^"\\]|\\.)*)")?(?:,|$)/gy
const TIME = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)$/

/** Returns whether a text is an `allowed_signers` file (ssh-keygen(1)): the first entry has a key type. */
export async function isAllowedSigners(text: string): Promise<boolean> {
  for (const one of linesOf(text)) {
    await trustTurns.yieldIfDue()
    if (one) return one.quote === undefined ? keyAt(one.words) > 0 : KEY_IN_LINE.test(one.line)
  }
  return false
}

/**
 * Reads a policy from OpenSSH's `allowed_signers`. A principal becomes a signer, and each of its lines a key. Lines
 * for other namespaces are ignored. Keys of RSA, hardware tokens and certificate authorities are skipped.
 *
 * @throws AlvariumError `CONFIG_INVALID`, with a text for each invalid line, at most 50,
 * or if all keys were skipped
 */
export async function policyOfAllowedSigners(text: string): Promise<WrittenPolicy> {
  const signers = new Map<string, KeyEntry[]>()
  const faults: string[] = []
  const skippedKeys: string[] = []
  for (const one of linesOf(text)) {
    if (faults.length >= MAX_FAULTS) break
    await trustTurns.yieldIfDue()
    if (!one) continue
    const { number, words, quote } = one
    try {
      const entry = entryOf(words, quote)
      if (!entry) continue
      const keys = signers.get(entry.name) ?? []
      keys.push(entry.key)
      signers.set(entry.name, keys)
    } catch (error) {
      if (!(error instanceof LineFault)) throw error
      const messages = error instanceof UnusableKey ? skippedKeys : faults
      messages.push(printable(`line ${number}: ${error.message}`))
    }
  }
  if (faults.length > 0) throw new AlvariumError('CONFIG_INVALID', faults.join('\n'))
  if (signers.size === 0 && skippedKeys.length > 0) {
    const got = `${skippedKeys.length} of other kinds (${listSkipped(skippedKeys)})`
    throw new AlvariumError(
      'CONFIG_INVALID',
      `trust: expected a key of ${USABLE_TYPES.join(' or ')}, got ${got}`,
    )
  }
  const policy = { signers: Array.from(signers, ([name, keys]): PolicySigner => ({ name, keys })) }
  return { policy, skippedKeys }
}

class LineFault extends Error {}

/** Line with a key that the SDK cannot use. It is not a fault, because OpenSSH supports more kinds of keys. */
class UnusableKey extends LineFault {}

interface SignersLine extends LineWords {
  readonly number: number
  readonly line: string
}

interface LineWords {
  readonly words: readonly string[]
  /** Column of a quotation mark that is never closed. */
  readonly quote?: number
}

/** Number of comments and empty lines to skip in one step, in less than a millisecond. */
const STEP_LINES = 1000

/**
 * Yields the lines one at a time, so that a caller that needs only the first line does not wait for the rest.
 * Yields undefined after many skipped lines, so that the caller can yield to the event loop.
 */
function* linesOf(text: string): Generator<SignersLine | undefined, void> {
  for (let [at, number] = [0, 1]; at < text.length; number++) {
    const end = text.indexOf('\n', at)
    const rawLine = text.slice(at, end < 0 ? undefined : end).trimEnd()
    const line = rawLine.trimStart()
    at = end < 0 ? text.length : end + 1
    if (line !== '' && !line.startsWith('#')) {
      yield { number, line, ...wordsOf(line, rawLine.length - line.length + 1) }
    } else if (number % STEP_LINES === 0) yield undefined
  }
}

/**
 * Splits a line into words. Returns none if the line is too long or a quotation mark is never closed, because
 * the words are then ambiguous. Stops at the first unclosed mark. A line may have very many of these marks,
 * and searching the rest of the line after each would take too long.
 */
function wordsOf(line: string, column: number): LineWords {
  if (line.length > MAX_LINE_CHARACTERS) return { words: [] }
  const words: string[] = []
  let isInside = false
  for (const { 0: part, index } of line.matchAll(PART)) {
    if (part === '"') return { words: [], quote: column + index }
    const isBetween = /^\s/.test(part)
    if (!isBetween && isInside) words.push(`${words.pop()}${part}`)
    else if (!isBetween) words.push(part)
    isInside = !isBetween
  }
  return { words }
}

/** Returns the index of the key's type, which follows the principals and any options; -1 if there is none. */
function keyAt(words: readonly string[]): number {
  return words.slice(0, 3).findIndex((word, at) => at > 0 && KEY_TYPE.test(word))
}

function entryOf(
  words: readonly string[],
  quote: number | undefined,
): { readonly name: string; readonly key: KeyEntry } | undefined {
  const at = keyAt(words)
  const [principals = ''] = words
  if (at < 1) {
    const got =
      quote === undefined ? 'another line' : `a quotation mark that is never closed in column ${quote}`
    throw new LineFault(`expected principals, options if there are any, and a key, got ${got}`)
  }
  const options = at > 1 ? optionsOf(words[1] as string) : new Map<string, string>()
  const namespaces = options.get('namespaces')
  if (namespaces !== undefined && !splitNames('namespaces', namespaces).includes(NAMESPACE)) return undefined
  if (options.has('cert-authority')) throw new UnusableKey('cert-authority')
  const type = words[at] as string
  if (!USABLE_TYPES.includes(type)) throw new UnusableKey(showType(type))
  const name = principals.replaceAll('"', '')
  const [, ...others] = splitNames('a principal', name)
  if (others.length > 0) throw new LineFault('expected one principal for each key, got several principals')
  const [from, until] = [options.get('valid-after'), options.get('valid-before')]
  const key: KeyEntry = {
    key: `${type} ${words[at + 1] ?? ''}`,
    ...(from !== undefined && { from: timeOf('valid-after', from) }),
    ...(until !== undefined && { until: timeOf('valid-before', until) }),
  }
  return { name, key }
}

/** Splits a list of names. Refuses the patterns of ssh-keygen, because patterns of the SDK mean something else. */
function splitNames(noun: string, list: string): string[] {
  if (!/[*?!]/.test(list)) return list.split(',')
  throw new LineFault(`expected ${noun} by name, got the pattern ${showWord(list)}`)
}

const OPTIONS = ['cert-authority', 'namespaces', 'valid-after', 'valid-before']

function optionsOf(word: string): Map<string, string> {
  const options = new Map<string, string>()
  let end = 0
  for (const [all, name = '', value] of word.matchAll(OPTION)) {
    end += all.length
    const known = name.toLowerCase()
    if (!OPTIONS.includes(known))
      throw new LineFault(`expected one of the options ${OPTIONS.join(', ')}, got ${showWord(name)}`)
    if (options.has(known)) throw new LineFault(`expected each option once, got ${known} twice`)
    if (!value && known !== 'cert-authority') throw new LineFault(`the option ${known} needs a value`)
    options.set(known, (value ?? '').replace(/\\(.)/g, '$1'))
  }
  if (end === word.length) return options
  throw new LineFault('expected options such as valid-before="20270101Z", got another text')
}

/** Formats a word of the file for an error: without quotation marks, or only its length if it may be a secret. */
function showWord(word: string): string {
  return isQuotable(word) ? word : quote(word)
}

/** Formats the type of a key for an error, as OpenSSH names the type. */
function showType(type: string): string {
  return isQuotable(type.replace('@openssh.com', '')) ? type : quote(type)
}

/** Converts a time to RFC 3339. A date alone means 00:00. Without Z, the local time zone counts, as in ssh-keygen. */
function timeOf(option: string, text: string): string {
  const [, year, month, day, hour = '00', minute = '00', second = '00', utc] = TIME.exec(text) ?? []
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const date = new Date(utc === 'Z' ? `${local}Z` : local)
  // Refuse times that `Date` would move: 30 February into March, and 24:00 to the next day.
  if (instantOf(`${local}Z`) && hour < '24' && !Number.isNaN(date.valueOf())) return date.toISOString()
  throw new LineFault(
    `${option}: expected YYYYMMDD or YYYYMMDDHHMM[SS], and Z for UTC, got ${showWord(text)}`,
  )
}
