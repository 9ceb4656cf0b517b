import { fourBits, toHex } from '../../foundation/base/bytes/hex.js'
import { describe, expected, isBytes } from '../../foundation/base/errors.js'

/*
 * Readers of values. An application may have replaced a driver's parsers for the whole process, such as with `pg.types.setTypeParser(17, …)`. So
 * each statement of the store brings its own. For a connection that does not accept them, each value is checked.
 */

/** A reader of the text that PostgreSQL sends for a value of one type. */
interface Reader {
  readonly read: (text: string) => unknown
  /** True if another parser has returned a value of this type. */
  readonly is: (value: unknown) => boolean
}

const isText = (value: unknown) => typeof value === 'string'
const isWhole = (value: unknown) =>
  typeof value === 'bigint' ||
  Number.isSafeInteger(value) ||
  (isText(value) && /^-?\d+$/.test(value as string))
const isList = (value: unknown) => Array.isArray(value) && value.every(isWhole)

const TEXT: Reader = { read: (text) => text, is: isText }
const INTEGER: Reader = { read: Number, is: isWhole }
/** Reader that keeps texts, because the numbers can be too large for numbers of JavaScript. */
const LARGE: Reader = { read: (text) => text, is: isWhole }
const INTEGERS: Reader = { read: (text) => membersOf(text).map(Number), is: isList }

/** Readers by the numbers of the types (pg_type.dat) that the store selects. */
const READERS: ReadonlyMap<number, Reader> = new Map([
  [16, { read: (text) => text === 't', is: (value) => typeof value === 'boolean' }],
  [17, { read: bytesOf, is: isBytes }],
  // The types char, name, text and void.
  ...[18, 19, 25, 2278].map((type) => [type, TEXT] as const),
  // The types smallint and integer.
  ...[21, 23].map((type) => [type, INTEGER] as const),
  // The types bigint and numeric.
  ...[20, 1700].map((type) => [type, LARGE] as const),
  // Arrays of smallint, of integer, of bigint.
  ...[1005, 1007].map((type) => [type, INTEGERS] as const),
  [1016, { read: membersOf, is: isList }],
])

/**
 * Options of a PGlite's `query`. By itself, PGlite makes a text of each byte, at 500 kB in a second; unchanged, the bytes take two milliseconds.
 */
const OPTIONS_OF_PGLITE = {
  serializers: { 17: (bytes: Uint8Array) => bytes as unknown as string },
  parsers: Object.fromEntries([...READERS].map(([type, { read }]) => [type, read])),
}

/** Member `types` of a query of `pg`. */
const TYPES = {
  getTypeParser: (type: number, format = 'text') =>
    format === 'text'
      ? readerOf(type).read
      : () => refuse('values as text', 'a connection that asks for binary values'),
}

/** A statement that can be sent with others, and its parameters. */
export type Statement = readonly [text: string, params?: readonly (number | boolean | Uint8Array)[]]

/** A connection whose values are read by the store's own readers. */
export interface ReadConnection {
  /** Runs one statement. */
  query(text: string, params?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  /** Runs statements one after the other: in one round trip if the driver accepts several in one text. @returns the rows of each */
  queryAll(statements: readonly Statement[]): Promise<readonly (readonly unknown[])[]>
}

/** The caller's own connection. */
interface DriverConnection {
  query(query: unknown, params?: unknown[], options?: object): Promise<Result>
}

/** A client of `pg`, which returns a list of results for a text of several statements. */
interface PgConnection {
  query(query: unknown): Promise<Result | Result[]>
}

/** A PGlite. */
interface EmbeddedConnection extends DriverConnection {
  exec(texts: string, options: object): Promise<Result[]>
}

interface Result {
  readonly rows: readonly unknown[]
  readonly fields?: readonly { readonly name: string; readonly dataTypeID: number }[]
}

/** Wraps a connection with the store's own readers. */
export function withReaders(connection: object): ReadConnection {
  if ('execProtocolRaw' in connection) return ofEmbedded(connection)
  if ('getTypeParser' in connection) return ofPg(connection)
  return ofStranger(connection)
}

function ofEmbedded(connection: object): ReadConnection {
  const given = connection as EmbeddedConnection
  return {
    query: async (text, params) => ofKnownTypes(await given.query(text, params, OPTIONS_OF_PGLITE)),
    queryAll: async (statements) =>
      (await given.exec(joinStatements(statements), OPTIONS_OF_PGLITE)).map((one) => ofKnownTypes(one).rows),
  }
}

function ofPg(connection: object): ReadConnection {
  const given = connection as PgConnection
  const results = async (text: string, values?: unknown[]) =>
    [await given.query({ text, values, types: TYPES })].flat().map(ofKnownTypes)
  return {
    query: async (text, values) => (await results(text, values))[0] as Result,
    queryAll: async (statements) => (await results(joinStatements(statements))).map(({ rows }) => rows),
  }
}

/** Joins statements into one text. It cannot have parameters, so it contains their values. */
export function joinStatements(statements: readonly Statement[]): string {
  return statements.map(([text, params = []]) => inline(text, params)).join(';')
}

function inline(text: string, params: NonNullable<Statement[1]>): string {
  return text.replace(/\$(\d)/g, (_, place) => {
    const value = params[place - 1]
    return isBytes(value) ? `decode('${toHex(value)}', 'hex')` : `${value}`
  })
}

/** Wraps an unknown connection, and checks its values. It may name each statement, and then accepts one at a time. */
function ofStranger(connection: object): ReadConnection {
  const given = connection as DriverConnection
  const query = async (text: string, params?: unknown[]) => checkValues(await given.query(text, params))
  return {
    query,
    queryAll: async (statements) => {
      const all: (readonly unknown[])[] = []
      for (const [text, params] of statements) all.push((await query(text, params && [...params])).rows)
      return all
    },
  }
}

/** @throws AlvariumError `STORE_FAILED` */
function ofKnownTypes(result: Result): Result {
  for (const { dataTypeID } of result.fields ?? []) readerOf(dataTypeID)
  return result
}

/** Checks values that another parser has read. @throws AlvariumError `STORE_FAILED` */
function checkValues(result: Result): Result {
  for (const { name, dataTypeID } of result.fields ?? []) {
    const { is } = readerOf(dataTypeID)
    for (const row of result.rows) {
      const value: unknown = Object(row)[name]
      if (value !== null && !is(value)) {
        refuse(
          `what PostgreSQL sends in ${name}`,
          `${describe(value)}: a type parser of the driver has altered it`,
        )
      }
    }
  }
  return result
}

function readerOf(type: number): Reader {
  return READERS.get(type) ?? refuse('columns of known types', `a column of type ${type}: run audit`)
}

function refuse(what: string, got: string): never {
  throw expected('STORE_FAILED', 'store', what, got)
}

/** Decodes bytes from `\x` and hexadecimal digits. */
function bytesOf(text: string): Uint8Array {
  if (!text.startsWith('\\x')) refuse('bytes as hexadecimal digits', 'bytes in another form')
  const bytes = new Uint8Array(text.length / 2 - 1)
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = (fourBits(text.charCodeAt(2 * at + 2)) << 4) | fourBits(text.charCodeAt(2 * at + 3))
  }
  return bytes
}

/** Reads a list of numbers: `{1,2}`. */
function membersOf(text: string): string[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',')
}
