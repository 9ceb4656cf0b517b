import type { Command, Option } from 'commander'
import { AlvariumError, codeOf, expected } from '../foundation/base/errors.js'
import { endOf, isQuotable } from '../foundation/base/text/text.js'

export function invalid(field: string, expectation: string, got: string): AlvariumError {
  return expected('CONFIG_INVALID', field, expectation, got)
}

export function onlyWith(option: string, other: string): AlvariumError {
  return new AlvariumError('CONFIG_INVALID', `${option}: works only with ${other}`)
}

/** Returns a path for an error text. Hides what may be a private key, typed in place of its path. */
export function pathText(path: string): string {
  return isQuotable(path) ? path : (endOf(path) ?? '')
}

/** Prefixes each line of an error about a file's contents with the option and the path. */
export function inFile(option: string, path: string, error: unknown): unknown {
  if (!(error instanceof AlvariumError)) return error
  const lines = error.message.split('\n').map((line) => `${option} ${pathText(path)}: ${line}`)
  return new AlvariumError(error.code, lines.join('\n'), { cause: error })
}

/**
 * Turns an error with a system error as its cause into `FILE_UNREADABLE`, because the arguments may be
 * correct.
 */
export function asUnreadable<E>(error: E): E | AlvariumError {
  const isOfFile = error instanceof AlvariumError && typeof codeOf(error.cause) === 'string'
  return isOfFile ? new AlvariumError('FILE_UNREADABLE', error.message, { cause: error }) : error
}

/** Command-line options by the field names in the package's errors. */
const OPTION_FIELDS: Readonly<Record<string, string>> = {
  signingKey: 'key',
  verifyingKey: 'key',
  file: 'out',
  password: 'passwordFile',
  maxBundles: 'batch',
  tls: 'ca',
  store: 'database',
}

/** Advice printed below an error, by the option at fault. */
const NEXT: Readonly<Record<string, string>> = {
  key: 'alvarium key show tells which half of a key pair is in a file; alvarium keygen makes a key pair',
  pkiKey: 'alvarium key show tells which half of a key pair is in a file',
  config: 'alvarium config check lists all mistakes in a config',
  port: 'choose another port; 0 picks a free one',
  tcpPort: 'choose another port; 0 picks a free one',
  url: 'a broker URL looks like ws://localhost:9001; alvarium doctor tests a broker',
  topic:
    'a topic is a name like readings/hall; in a filter, + is any one level, and # is all levels from there on',
}

/** Advice for a database that cannot be reached or rejects the login, not for other failures such as a full disk. */
const NO_DATABASE =
  'check that it runs at this address, and the user and its password, which PGPASSWORD or ~/.pgpass can have'
const IS_LOGIN = /expected (the database to answer|a user and password that the database accepts), got: /

const NO_STORE = 'alvarium store init makes one'

const NO_KEY = 'check the path; alvarium keygen makes a key pair'

const NO_BROKER = 'check that it runs at this address and port; alvarium broker starts one for trials'

/** Rewrites an error of the package for the command line, with option names, paths and the next step. */
export function withOptionNames(error: unknown, command: Command): unknown {
  if (!(error instanceof AlvariumError)) return error
  const { name, rest } = partsOf(error.message, command)
  const place = placeOf(name, command)
  const next = error.code === 'STREAM_UNREACHABLE' ? NO_BROKER : nextFor(name, error)
  const text = place === undefined ? error.message : `${place}: ${inWords(rest)}`
  return new AlvariumError(error.code, next === undefined ? text : `${text}\n(${next})`, { cause: error })
}

function nextFor(name: string, { code, message }: AlvariumError): string | undefined {
  if (name === 'database' && code === 'STORE_FAILED' && IS_LOGIN.test(message)) return NO_DATABASE
  if (name === 'database' && message.endsWith('which has no store')) return NO_STORE
  if (name === 'key' && message.includes('ENOENT')) return NO_KEY
  return code === 'CONFIG_INVALID' || code === 'KEY_INVALID' ? NEXT[name] : undefined
}

/** Splits an error text into the field (`stream.topic.0`, `key file x`, or an option) and the remaining text. */
function partsOf(message: string, { options }: Command): { name: string; rest: string } {
  const [, flag = '', , remainder = ''] = /^(--[\w-]+)( \S+)?: (.*)$/s.exec(message) ?? []
  const option = options.find(({ long }) => long === flag)
  if (option) return { name: option.attributeName(), rest: remainder }
  const asField = message.replace(/^key file[^:]*: /, 'key: ')
  const [, field = '', rest = ''] = /^(?:stream\.)?(\w+)(?:\.[\w.]+)?: (.*)$/s.exec(asField) ?? []
  return { name: OPTION_FIELDS[field] ?? field, rest }
}

function placeOf(name: string, command: Command): string | undefined {
  const option = command.options.find((one) => one.attributeName() === name)
  if (option) return optionPlace(option, command.opts()[name])
  const at = command.registeredArguments.findIndex((one) => one.name() === name)
  if (at >= 0) return `<${name}>`
  const isFile = command.registeredArguments[0]?.name() === 'file' && ['key', 'config'].includes(name)
  return isFile && command.args.length === 1 ? pathText(`${command.args[0]}`) : undefined
}

/**
 * Returns the option's name for an error text, followed by the path if its value is a single file. Other values are
 * left out, because the error text quotes them.
 */
function optionPlace({ long, flags }: Option, value: unknown): string {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  const isFile = flags.includes('<file>') && values.length === 1 && typeof values[0] === 'string'
  return `${long} ${isFile ? pathText(values[0] as string) : ''}`.trimEnd()
}

/** Replaces the package's field names in an error text by option names. */
export function inWords(text: string): string {
  return text
    .replace(/^(verifyingKey|key file[^:]*): /, '')
    .replace(/ \(a seed is asked for by name[^)]*\)+/, '; if it is a seed, add --seed')
    .replace(/\bclientId\b/g, '--client-id')
    .replace(/: leave the codec as it is$/, ': leave --codec out')
}
