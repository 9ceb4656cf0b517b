/**
 * Counts of a comparison. `records` minus `altered`, `extra` and `moved` is the number of records in their
 * signed order.
 */
export interface CheckCounts {
  /** Number of compared records. */
  readonly records: number
  /** Number of compared signed records: bundles with the action in `CheckOptions`, without repeats. */
  readonly signed: number
  /** Number of records that differ from the record signed at their place. */
  readonly altered: number
  /** Number of signed records that are absent. */
  readonly missing: number
  /** Number of records without a verified message. Includes copies of a record beyond the number of its messages. */
  readonly extra: number
  /** Number of records that moved from their place in the signed order. */
  readonly moved: number
  /** Number of surplus bundles about records that were signed more often than they occur. */
  readonly twice: number
  /** Number of messages that did not verify. */
  readonly refused: number
  /** Number of bundles that arrived again and were ignored. Brokers may deliver a message twice. */
  readonly repeated: number
  /** Number of bundles that were ignored because of their action: see `action` of `CheckOptions`. */
  readonly others: number
}

export type MutableCounts = { -readonly [Name in keyof CheckCounts]: CheckCounts[Name] }

/** @internal Counts of a comparison before its first record. */
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
