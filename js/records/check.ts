import * as v from 'valibot'
import { Grouping } from '../base/bytes/join.js'
import type { AlvariumError } from '../base/errors.js'
import { assertNames } from '../base/options/names.js'
import { integer, oneOf, readOptions, strict } from '../base/options/schema.js'
import { inTurns } from '../base/time/steps.js'
import { verifyTurns } from '../base/time/turns.js'
import { closeTrusted, openTrusted, receivedMs, trustingIn } from '../keys/trust-policy.js'
import { ACTIONS, type Action } from '../model/bundle.js'
import type { SourceOptions } from '../model/payload.js'
import { type ReceivedOptions, verifyReceived } from '../verify/messages.js'
import { type VerifiedBundle, type VerifyOptions, WITHOUT_PAYLOAD } from '../verify/options.js'
import { comparing, type Finding } from './findings.js'
import { FoundRecords, type LongRecord } from './found.js'
import type { SourceRecord } from './read.js'
import { SignedRecords } from './signed.js'

/** Whom to trust, and what to compare. */
export interface CheckOptions extends Omit<VerifyOptions, 'payload' | keyof SourceOptions> {
  /** What the bundles have to say about the records; others are not compared. Default: the action of the first one. */
  readonly action?: Action | undefined
  /** How many records there may be, and how many may be signed. Each takes about 400 bytes of memory. Default 4,000,000. */
  readonly maxRecords?: number | undefined
}

/** V8's maps hold 2^24. */
const MOST_RECORDS = 16_000_000

/** The page of limits shows it. */
export const schema = strict({
  action: v.optional(oneOf(ACTIONS)),
  maxRecords: integer(1, MOST_RECORDS, 4_000_000),
})

/** How much of each there was. What is still in order, and was signed, is `records` less `altered`, `extra` and `moved`. */
export interface CheckCounts {
  /** Records that were compared. */
  readonly records: number
  /** Bundles that they were compared with: all of one action, each once. */
  readonly signed: number
  /** Records in whose place another one was signed. */
  readonly altered: number
  /** Bundles about records that are not there. */
  readonly missing: number
  /** Records that no verified message is about, or fewer than there are copies. */
  readonly extra: number
  /** Records that stood somewhere else. */
  readonly moved: number
  /** Bundles about records that are there less often than they were signed. */
  readonly twice: number
  /** Messages that did not verify. */
  readonly refused: number
  /** Bundles that came again, as a broker delivers them twice. They change nothing. */
  readonly repeated: number
  /** Bundles of other actions, which were not compared. */
  readonly others: number
}

/** What is found, one finding after the other: first messages that did not verify, then differences in the order of the records. */
export interface Checking extends AsyncIterable<Finding> {
  /** What has been counted so far; all of it when the loop has ended. */
  readonly counts: CheckCounts
}

/**
 * Compares records with what was signed about them, one by one and in order: which were altered, are missing, were added, have
 * moved, or were signed twice? The messages have to be in the order in which they were signed, as a file of `alvarium annotate` has
 * them. All of them are read first, and then the records.
 *
 * Records are known by their payload keys, so this works for messages in any order of keys and for records that are alike. An
 * altered record is told by its place: as many records are new there as are gone. It takes n log n steps at most, whoever wrote either.
 *
 * @param records - such as `readRecords` takes out of a file
 * @param messages - bundles and batches, in the order in which they were signed
 * @returns what to loop over, once
 * @throws AlvariumError `CONFIG_INVALID` for an option that cannot work. In the loop: `PAYLOAD_INVALID` when there are more records
 * than `maxRecords`, `KEY_INVALID` for a key of the keyring that cannot be read, what `readRecords` throws, and with a pool its errors
 *
 * @example
 * ```ts
 * import { check, readRecords } from 'alvarium-sdk/records'
 *
 * const file = new Blob(['id,celsius\n1,21.4\n2,19.8\n'])
 * const records = readRecords(file.stream(), { format: 'csv' })
 * const checking = check(records, messages, { keyring })
 * for await (const finding of checking) console.log(finding.kind)
 * console.log(checking.counts)
 * ```
 */
export function check(
  records: AsyncIterable<SourceRecord> | Iterable<SourceRecord>,
  messages: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: CheckOptions,
): Checking {
  return checkBy(records, messages, options)
}

type Records = AsyncIterable<SourceRecord | LongRecord> | Iterable<SourceRecord | LongRecord>

/** What is verified by; the leases may have come one by one. */
type Verifying = ReceivedOptions & Pick<VerifyOptions, 'receivedAt'>

/** Returns why a message that verified must not count, if it must not. */
type Objection = (bundles: readonly VerifiedBundle[]) => AlvariumError | undefined

/** @internal The same with leases that have come one by one, and records that may be larger than memory. */
export function checkBy(
  records: Records,
  messages: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: Verifying & Pick<CheckOptions, 'action' | 'maxRecords'>,
  objection: Objection = () => undefined,
): Checking {
  const { action, maxRecords, ...verifying } = options
  assertNames(verifying, WITHOUT_PAYLOAD)
  const limits = readOptions(schema, { action, maxRecords })
  return new RecordCheck(records, messages, verifying, limits, objection)
}

/** What is verified together: batches are large. */
const TOGETHER = { count: 256, bytes: 4 * 1024 * 1024 }

type MutableCounts = { -readonly [Name in keyof CheckCounts]: CheckCounts[Name] }

class RecordCheck implements Checking {
  readonly counts: MutableCounts = {
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
  readonly #records: Records
  readonly #messages: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  readonly #verifying: Verifying
  readonly #objection: Objection
  readonly #signed: SignedRecords
  readonly #found: FoundRecords

  constructor(
    records: Records,
    messages: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    verifying: Verifying,
    { maxRecords, action }: { readonly maxRecords: number; readonly action?: Action | undefined },
    objection: Objection,
  ) {
    this.#records = records
    this.#messages = messages
    this.#verifying = verifying
    this.#objection = objection
    this.#signed = new SignedRecords(maxRecords, action)
    this.#found = new FoundRecords(this.#signed, maxRecords)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Finding, void> {
    for await (const finding of this.#findings()) {
      this.counts[finding.kind]++
      yield finding
    }
  }

  async *#findings(): AsyncGenerator<Finding, void> {
    yield* this.#verified()
    for await (const record of this.#records) {
      const turn = verifyTurns.take()
      if (turn) await turn
      if (typeof record === 'object' && 'keyFor' in record) await this.#found.addLong(record)
      else this.#found.add(record)
      this.counts.records++
    }
    await inTurns(this.#found.sort())
    const comparison = await inTurns(comparing(this.#signed, this.#found))
    for (const difference of comparison.differences()) {
      const turn = verifyTurns.take()
      if (turn) await turn
      yield difference
    }
  }

  /** Reads the messages; tells those that do not verify. */
  async *#verified(): AsyncGenerator<Finding, void> {
    const { keyring, receivedAt, ...more } = this.#verifying
    const receivedWhen = receivedMs(receivedAt)
    // The keys are read once, and not for each group of messages.
    const opened = trustingIn(keyring) ? undefined : await openTrusted(keyring)
    const options = { ...more, keyring: opened?.keyring ?? keyring }
    try {
      let number = 1
      for await (const group of groupsOf(this.#messages)) {
        for (const outcome of await verifyReceived(group, options, () => receivedWhen)) {
          const error = outcome.status === 'fulfilled' ? this.#objection(outcome.value) : outcome.reason
          if (error) yield { kind: 'refused', message: number, error }
          else if (outcome.status === 'fulfilled') this.#signed.add(number, outcome.value)
          number++
        }
        const { numbers, repeated, others } = this.#signed
        Object.assign(this.counts, { signed: numbers.length, repeated, others })
      }
    } finally {
      if (opened) closeTrusted(keyring, opened)
    }
  }
}

async function* groupsOf(
  messages: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array[], void> {
  const grouping = new Grouping(TOGETHER)
  for await (const message of messages) {
    const full = grouping.add(message)
    if (full) yield full
  }
  const rest = grouping.take()
  if (rest.length > 0) yield rest
}
