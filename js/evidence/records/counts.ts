/** Counts of a check. The number of signed records that are still in order is `records` less `altered`, `extra` and `moved`. */
export interface CheckCounts {
  /** Number of records that were compared. */
  readonly records: number
  /** Number of bundles that the records were compared with: all of one action, each once. */
  readonly signed: number
  /** Number of records in whose place another one was signed. */
  readonly altered: number
  /** Number of bundles about records that are absent. */
  readonly missing: number
  /** Number of records without a verified message, or with fewer messages than copies. */
  readonly extra: number
  /** Number of records whose place has changed. */
  readonly moved: number
  /** Number of bundles about records that occur less often than they were signed. */
  readonly twice: number
  /** Number of messages that did not verify. */
  readonly refused: number
  /** Number of bundles received again, because a broker delivered them twice. They change nothing. */
  readonly repeated: number
  /** Number of bundles of other actions, which were not compared. */
  readonly others: number
}

export type MutableCounts = { -readonly [Name in keyof CheckCounts]: CheckCounts[Name] }

/** @internal The counts of a check before its first record. */
export const NO_COUNTS: CheckCounts = {
  records: 0,
  signed: 0,
  altered: 0,
  missing: 0,
  extra: 0,
  moved: 0,
  twice: 0,
  refused: 0,
  repeated: 0,
  others: 0,
}
