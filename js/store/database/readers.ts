import { fourBits, toHex } from '../../foundation/base/bytes/hex.js'
import { describe, expected, isBytes } from '../../foundation/base/errors.js'

/*
 * Readers of values. An application may have replaced a driver's parsers for the whole process, for example
 * with `pg.types.setTypeParser(17, …)`. Each statement of the store therefore passes its own parsers. On a
 * connection that does not accept parsers, each value is checked.
 */

/** Reads the text that PostgreSQL sends for a value of one type. */
interface Reader {
  readonly read: (text: string) => unknown
  /** Returns true if a driver's own parser may have returned this value for the type. */
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
/** Reader that returns texts, because the values can exceed the safe integers of JavaScript. */
const LARGE: Reader = { read: (text) => text, is: isWhole }
const INTEGERS: Reader = { read: (text) => membersOf(text).map(Number), is: isList }

/** Readers by type number (pg_type.dat), for all types that the store selects. */
const READERS: ReadonlyMap<number, Reader> = new Map([
  [16, { read: (text) => text === 't', is: (value) => typeof value === 'boolean' }],
  [17, { read: bytesOf, is: isBytes }],
  // The types are char, name, text and void.
  ...[18, 19, 25, 2278].map((type) => [type, TEXT] as const),
  // The types are smallint and integer.
  ...[21, 23].map((type) => [type, INTEGER] as const),
  // The types are bigint and numeric.
  ...[20, 1700].map((type) => [type, LARGE] as const),
  // The types are arrays: of smallint and integer here, and of bigint below.
  ...[1005, 1007].map((type) => [type, INTEGERS] as const),
  [1016, { read: membersOf, is: isList }],
])

/** Type conversions for PGlite's `query`. Bytes stay unchanged, because PGlite converts only 500 kB per second. */
const OPTIONS_OF_PGLITE = {
  serializers: { 17: (bytes: Uint8Array) => bytes as unknown as string },
  parsers: Object.fromEntries([...READERS].map(([type, { read }]) => [type, read])),
}

/** Property `types` of a `pg` query. */
const TYPES = {
  getTypeParser: (type: number, format = 'text') =>
    format === 'text'
      ? readerOf(type).read
      : () => refuse('values as text', 'a connection that asks for binary values'),
}

/** A statement with its parameters, which can be sent in one round trip with others. */
export type Statement = readonly [text: string, params?: readonly (number | boolean | Uint8Array)[]]

export interface ReadConnection {
  query(text: string, params?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  /**
   * Runs statements one after the other, in one round trip if the driver accepts several statements in one
   * text.
   * @returns the rows of each statement
   */
  queryAll(statements: readonly Statement[]): Promise<readonly (readonly unknown[])[]>
}

interface DriverConnection {
  query(query: unknown, params?: unknown[], options?: object): Promise<Result>
}

/** A client of `pg`. It returns a list of results for a text of several statements. */
interface PgConnection {
  query(query: unknown): Promise<Result | Result[]>
}

interface EmbeddedConnection extends DriverConnection {
  exec(texts: string, options: object): Promise<Result[]>
}

interface Result {
  readonly rows: readonly unknown[]
  readonly fields?: readonly { readonly name: string; readonly dataTypeID: number }[]
}

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

/** Joins statements into one text. Such a text cannot have parameters, so their values are inserted. */
export function joinStatements(statements: readonly Statement[]): string {
  return statements.map(([text, params = []]) => inline(text, params)).join(';')
}

function inline(text: string, params: NonNullable<Statement[1]>): string {
  return text.replace(/\$(\d)/g, (_, place) => {
    const value = params[place - 1]
    return isBytes(value) ? `decode('${toHex(value)}', 'hex')` : `${value}`
  })
}

/** Wraps a connection of an unknown driver. Sends statements one by one, and checks the returned values. */
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

/** Checks values that the driver's parsers have read. @throws AlvariumError `STORE_FAILED` */
function checkValues(result: Result): Result {
  for (const { name, dataTypeID } of result.fields ?? []) {
    const { is } = readerOf(dataTypeID)
    for (const row of result.rows) {
      const value: unknown = Object(row)[name]
      if (value !== null && !is(value)) {
        refuse(
          `the value that PostgreSQL sent in the column ${name}`,
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

function refuse(expectation: string, got: string): never {
  throw expected('STORE_FAILED', 'store', expectation, got)
}

function bytesOf(text: string): Uint8Array {
  if (!text.startsWith('\\x')) refuse('bytes as hexadecimal digits', 'bytes in another form')
  const bytes = new Uint8Array(text.length / 2 - 1)
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = (fourBits(text.charCodeAt(2 * at + 2)) << 4) | fourBits(text.charCodeAt(2 * at + 3))
  }
  return bytes
}

/** Reads the numbers in PostgreSQL's text for an array: `{1,2}`. */
function membersOf(text: string): string[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',')
}
