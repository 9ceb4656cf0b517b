/**
 * Kind of the records of a source.
 *
 * | format | one record | line end |
 * |---|---|---|
 * | `lines` | a line; empty ones are skipped | is not part of it |
 * | `csv` | a record of CSV (RFC 4180), also over several lines; not the header | is not part of it |
 * | `json` | an item of the array, or one of the values that follow each other; text behind the end of the array is refused | |
 * | `chunks` | a piece of `chunkBytes` bytes; the last one may be shorter | |
 * | `whole` | all bytes | |
 */
export type RecordFormat = 'lines' | 'csv' | 'json' | 'chunks' | 'whole'

export const FORMATS = ['lines', 'csv', 'json', 'chunks', 'whole'] as const satisfies readonly RecordFormat[]
