import { AlvariumError } from '../../foundation/base/errors.js'
import { Unreadable } from '../input/files.js'

export class ParquetFault extends Error {
  constructor(
    readonly expected: string,
    readonly got: string,
  ) {
    super(`expected ${expected}, got ${got}`)
  }
}

/**
 * Converts an error to one about the file. For bytes that are not Parquet, hyparquet throws a RangeError or
 * TypeError, often with an unhelpful text.
 *
 * @param place - the file, followed by the row group or row
 */
export function unreadableParquet(place: string, error: unknown): AlvariumError {
  if (error instanceof AlvariumError) return error
  if (error instanceof ParquetFault) return new Unreadable(place, error.expected, error.got)
  const [, text] = /^parquet (.*)/s.exec(error instanceof Error ? error.message : '') ?? []
  return new Unreadable(place, 'a whole Parquet file', `a damaged file${text ? ` (${text})` : ''}`)
}
