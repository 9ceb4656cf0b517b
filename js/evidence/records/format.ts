/**
 * Format of the records in a source.
 *
 * | format | one record | line end |
 * |---|---|---|
 * | `lines` | a line; empty lines are skipped | excluded |
 * | `csv` | a CSV record (RFC 4180), which may span several lines; the header is skipped | excluded |
 * | `json` | an item of an array, or one of several consecutive values; text after the array is refused | |
 * | `length-prefixed` | the bytes after their length, a big-endian `uint32` that does not count itself | |
 * | `chunks` | a piece of `chunkBytes` bytes; the last one may be shorter | |
 * | `whole` | all bytes | |
 */
export type RecordFormat = 'lines' | 'csv' | 'json' | 'length-prefixed' | 'chunks' | 'whole'

export const FORMATS = [
  'lines',
  'csv',
  'json',
  'length-prefixed',
  'chunks',
  'whole',
] as const satisfies readonly RecordFormat[]
