import * as v from 'valibot'
import { copyBytes, GroupCollector } from '../../foundation/base/bytes/join.js'
import type { AlvariumError } from '../../foundation/base/errors.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { integer, oneOf, readOptions, strict } from '../../foundation/base/options/schema.js'
import { runYielding, verifyTurns } from '../../foundation/base/time/turns.js'
import { ACTIONS, type Action } from '../../foundation/model/bundle.js'
import type { SourceOptions } from '../../foundation/model/payload.js'
import { closeTrusted, openTrusted, receivedMs, trustingIn } from '../../signing/keys/trust-policy.js'
import { type ReceivedOptions, verifyReceived } from '../../verifying/verify/messages.js'
import { type VerifiedBundle, type VerifyOptions, WITHOUT_PAYLOAD } from '../../verifying/verify/options.js'
import { isManifest, type Manifest } from '../sets/manifest.js'
import { type CheckCounts, type MutableCounts, NO_COUNTS } from './counts.js'
import { compareSteps, type Finding } from './findings.js'
import { FoundRecords, type LongRecord } from './found-records.js'
import { ManifestRecords } from './manifest-records.js'
import type { SourceRecord } from './read.js'
import { type SignedOrder, SignedRecords } from './signed-records.js'

/** Trusted keys, and limits for the comparison of records with messages. */
export interface CheckOptions extends Omit<VerifyOptions, 'payload' | keyof SourceOptions> {
  /** Action of the bundles to compare; other bundles are ignored. Default: action of the first bundle. */
  readonly action?: Action | undefined
  /** Maximum number of records, and of signed records, at about 400 bytes of memory each. Default 4,000,000. */
  readonly maxRecords?: number | undefined
}

/** Maximum value of `maxRecords`, because maps in V8 have at most 2^24 entries. */
const MAX_RECORDS = 16_000_000

/** Valibot schema of {@link CheckOptions}. The guide's page of limits is generated from it. */
export const schema = strict({
  action: v.optional(oneOf(ACTIONS)),
  maxRecords: integer(1, MAX_RECORDS, 4_000_000),
})

/** Findings of a comparison: first messages that did not verify, then differences in the order of the records. */
export interface Checking extends AsyncIterable<Finding> {
  /** Counts so far. They are final when the loop has ended. */
  readonly counts: CheckCounts
}

/**
 * Compares records, in order, with the messages that signed them. Finds records that were altered, removed, added,
 * moved, or signed twice. The messages must be in the order in which they were signed, as in a file of
 * `alvarium annotate`. All messages are read before the first record.
 *
 * Payload keys identify records, so several records may be equal. Records count as altered if, between two unchanged
 * records, as many are new as are missing. The comparison takes at most n log n steps, for any input.
 *
 * @param records - for example from `readRecords`
 * @param messages - bundles and batches, in the order in which they were signed
 * @returns the findings, which can be iterated once
 * @throws AlvariumError `CONFIG_INVALID` for an invalid option. In the loop: `PAYLOAD_INVALID` if there are
 * more records or signed records than `maxRecords`, `KEY_INVALID` for an unreadable key, and errors of
 * `readRecords` and of the worker pool
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
): Checking
/**
 * Compares records with a manifest, which lists all records of a file in order, in 32 bytes each. A removed copy is
 * reported as `missing`, never as `twice`, because a manifest lists each record as often as the file contained it.
 *
 * @param records - for example from `readRecords`
 * @param manifest - a verified manifest from `openManifest`
 * @returns the findings, which can be iterated once
 * @throws AlvariumError `CONFIG_INVALID` for an invalid option, or for a manifest whose salt was not given to
 * `openManifest`. In the loop: `PAYLOAD_INVALID` if there are more records than `maxRecords`, and errors of
 * `readRecords`
 *
 * @example
 * ```ts
 * import { check, readRecords } from 'alvarium-sdk/records'
 * import { openManifest, sealManifest } from 'alvarium-sdk/sets'
 *
 * const rows = () => readRecords(new Blob(['id,celsius\n1,21.4\n']).stream(), { format: 'csv' })
 * const sealed = await sealManifest(rows(), { signingKey })
 * const checking = check(rows(), await openManifest(sealed.pieces(), { keyring }))
 * for await (const finding of checking) console.log(finding.kind)
 * console.log(checking.counts.signed) // 1
 * ```
 */
export function check(
  records: AsyncIterable<SourceRecord> | Iterable<SourceRecord>,
  manifest: Manifest,
  options?: Pick<CheckOptions, 'maxRecords'>,
): Checking
export function check(
  records: AsyncIterable<SourceRecord> | Iterable<SourceRecord>,
  signed: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Manifest,
  options?: CheckOptions | Pick<CheckOptions, 'maxRecords'>,
): Checking {
  const groups = recordGroups(records)
  return isManifest(signed)
    ? checkManifest(groups, signed, options)
    : checkMessages(groups, signed, options as CheckOptions)
}

/** @internal Records in groups, so that each call hashes many records. */
export type RecordGroups = AsyncIterable<readonly SourceRecord[] | LongRecord>

/** Unlike in `CheckOptions`, leases may be a `LeaseBook`. */
type VerifySettings = ReceivedOptions & Pick<VerifyOptions, 'receivedAt'>

/** Returns the error with which a verified message is refused; undefined to accept the message. */
type RefuseVerified = (bundles: readonly VerifiedBundle[]) => AlvariumError | undefined

/**
 * @internal Compares records with messages. Unlike {@link check}, accepts leases as a `LeaseBook`, and records
 * larger than memory.
 */
export function checkMessages(
  records: RecordGroups,
  messages: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: VerifySettings & Pick<CheckOptions, 'action' | 'maxRecords'>,
  objection: RefuseVerified = () => undefined,
): Checking {
  const { action, maxRecords, ...verifying } = options
  assertNames(verifying, WITHOUT_PAYLOAD)
  const limits = readOptions(schema, { action, maxRecords })
  const signed = new SignedRecords(limits.maxRecords, limits.action)
  const counts = { ...NO_COUNTS }
  async function* findings() {
    yield* readMessages(signed, messages, { ...verifying, objection }, counts)
    yield* compareRecords(records, signed, limits.maxRecords, counts)
  }
  return countFindings(counts, findings())
}

/** @internal Compares records with a manifest. */
export function checkManifest(
  records: RecordGroups,
  manifest: Manifest,
  options: Pick<CheckOptions, 'maxRecords'> = {},
): Checking {
  const limits = readOptions(strict({ maxRecords: schema.entries.maxRecords }), options, 'check')
  const signed = new ManifestRecords(manifest)
  const counts = { ...NO_COUNTS, signed: signed.length }
  return countFindings(counts, compareRecords(records, signed, limits.maxRecords, counts))
}

function countFindings(counts: MutableCounts, findings: AsyncIterable<Finding>): Checking {
  return {
    counts,
    async *[Symbol.asyncIterator]() {
      for await (const finding of findings) {
        counts[finding.kind]++
        yield finding
      }
    },
  }
}

async function* compareRecords(
  records: RecordGroups,
  signed: SignedOrder,
  maxRecords: number,
  counts: MutableCounts,
): AsyncGenerator<Finding, void> {
  const found = new FoundRecords(signed, maxRecords)
  for await (const group of records) {
    const turn = verifyTurns.yieldIfDueLong()
    if (turn) await turn
    if ('keyFor' in group) await found.addLong(group)
    else await found.add(group)
    counts.records = found.length
  }
  await runYielding(found.sort())
  const comparison = await runYielding(compareSteps(signed, found))
  for (const difference of comparison.differences()) {
    const turn = verifyTurns.yieldIfDue()
    if (turn) await turn
    yield difference
  }
}

/** Limits of one call. Bytes are limited because a message may be a large batch. */
const VERIFY_BATCH = { count: 256, bytes: 4 * 1024 * 1024 }

/** Reads and counts the signed messages, and yields a finding for each message that does not verify. */
async function* readMessages(
  signed: SignedRecords,
  messages: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { keyring, receivedAt, objection, ...more }: VerifySettings & { readonly objection: RefuseVerified },
  counts: MutableCounts,
): AsyncGenerator<Finding, void> {
  const receivedWhen = receivedMs(receivedAt)
  // Open the keys once, not for each group of messages.
  const opened = trustingIn(keyring) ? undefined : await openTrusted(keyring)
  const options = { ...more, keyring: opened?.keyring ?? keyring }
  try {
    let number = 1
    for await (const group of messageGroups(messages)) {
      for (const outcome of await verifyReceived(group, options, () => receivedWhen)) {
        const error = outcome.status === 'fulfilled' ? objection(outcome.value) : outcome.reason
        if (error) yield { kind: 'refused', message: number, error }
        else if (outcome.status === 'fulfilled') signed.add(number, outcome.value)
        number++
      }
      const { length, repeated, others } = signed
      Object.assign(counts, { signed: length, repeated, others })
    }
  } finally {
    if (opened) closeTrusted(keyring, opened)
  }
}

/** Yields records in groups. Copies their bytes, because the source may reuse its memory. */
async function* recordGroups(
  records: AsyncIterable<SourceRecord> | Iterable<SourceRecord>,
): AsyncGenerator<SourceRecord[], void> {
  const grouping = new GroupCollector<SourceRecord>(HASH_BATCH)
  for await (const record of records) {
    const full = grouping.add({ ...record, bytes: copyBytes(record.bytes) }, record.bytes.length)
    if (full) yield full
  }
  const rest = grouping.take()
  if (rest.length > 0) yield rest
}

const HASH_BATCH = { count: 256, bytes: 1024 * 1024 }

async function* messageGroups(
  messages: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array[], void> {
  const grouping = new GroupCollector<Uint8Array>(VERIFY_BATCH)
  for await (const message of messages) {
    const full = grouping.add(message, message.length)
    if (full) yield full
  }
  const rest = grouping.take()
  if (rest.length > 0) yield rest
}
