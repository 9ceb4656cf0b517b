// `alvarium-sdk/records`: finds altered records in a file, by comparing records with the messages that signed them.

export { type Checking, type CheckOptions, check } from './check.js'
export type { CheckCounts } from './counts.js'
export type { Finding } from './findings.js'
export type { RecordFormat } from './format.js'
export type { RecordPlace } from './found-records.js'
export { type RecordOptions, readRecords, type SourceRecord } from './read.js'
export type { SignedRecord } from './signed-records.js'
