import { AlvariumError } from '../../foundation/base/errors.js'
import { Unreadable } from '../input/files.js'

/** Reason why a Parquet file, or a value in it, has no records. */
export class ParquetFault extends Error {
  constructor(
    readonly expected: string,
    readonly got: string,
  ) {
    super(`expected ${expected}, got ${got}`)
  }
}

/**
 * Returns the error of a file that cannot be read. The library throws a RangeError or a TypeError for bytes that are not Parquet, and only
 * some of its texts help.
 *
 * @param place - the file, and the row group or the row in it
 */
export function unreadableParquet(place: string, error: unknown): AlvariumError {
  if (error instanceof AlvariumError) return error
  if (error instanceof ParquetFault) return new Unreadable(place, error.expected, error.got)
  const [, text] = /^parquet (.*)/s.exec(error instanceof Error ? error.message : '') ?? []
  return new Unreadable(place, 'a whole Parquet file', `a damaged file${text ? ` (${text})` : ''}`)
}
