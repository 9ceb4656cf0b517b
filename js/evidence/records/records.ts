// `alvarium-sdk/records`: finds altered records of a file. It reads the records of a file, and compares them with the signed messages about
// them.

export { type Checking, type CheckOptions, check } from './check.js'
export type { CheckCounts } from './counts.js'
export type { Finding } from './findings.js'
export type { RecordFormat } from './format.js'
export type { RecordPlace } from './found-records.js'
export { type RecordOptions, readRecords, type SourceRecord } from './read.js'
export type { SignedRecord } from './signed-records.js'
