// `alvarium-sdk/records`: which record of my file was altered? It takes records out of a file, and compares them with what was signed.

export { type CheckCounts, type Checking, type CheckOptions, check } from './check.js'
export type { Finding } from './findings.js'
export type { RecordFormat } from './format.js'
export type { RecordPlace } from './found.js'
export { type RecordOptions, readRecords, type SourceRecord } from './read.js'
export type { SignedRecord } from './signed.js'
