import { AlvariumError } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import type { ClockSetting } from './clock.js'
import type { Damage } from './events.js'
import { Ledger } from './ledger.js'
import { Losses } from './losses.js'
import { EMPTY_MARK, gapsOf, type Mark, type Range, readMark } from './mark.js'
import { type RecordContent, readRecord } from './record.js'
import { SetAsideList } from './set-aside.js'
import type { OutboxStore, StoreState } from './store.js'

export interface Contents {
  readonly ledger: Ledger
  readonly setAsideList: SetAsideList
  readonly losses: Losses
  readonly sets: readonly ClockSetting[]
  readonly topics: readonly string[]
  /** Number before the first stored record. */
  readonly deleted: number
  readonly isMarkLost: boolean
  reportLosses(): Promise<void>
}

/**
 * Opens a store and reads its contents.
 *
 * @throws AlvariumError `STORE_LOCKED`, `STORE_FAILED`, `STORE_DAMAGED`
 */
export async function openContents(
  store: OutboxStore,
  logger: Logger,
  onDamage: (damage: Damage) => void,
): Promise<Contents> {
  const opened = (await store.open()) ?? {}
  logWarnings(opened, logger)
  const lostMark = lostMarkOf(store, opened)
  const mark = await extentOf(store, opened)
  const missing = await missingFrom(store, mark)
  const ledger = new Ledger(mark)
  const setAsideList = await SetAsideList.load(store.setAside, ledger)
  ledger.startAfter(setAsideList.last)
  const losses = new Losses(store, ledger, onDamage)
  const deleted = (opened.first ?? ledger.settledThrough + 1) - 1
  return {
    ledger,
    setAsideList,
    losses,
    sets: mark.clockSettings,
    topics: mark.topics,
    deleted,
    isMarkLost: lostMark !== undefined,
    reportLosses: async () => {
      if (lostMark) onDamage({ count: 0, numbers: [], error: lostMark })
      await losses.reportAtStart(missing, mark.setAside, setAsideList)
    },
  }
}

/** Returns an error if the mark is lost: without it, missing records at the beginning or the end go unnoticed. */
function lostMarkOf(store: OutboxStore, { first, mark }: StoreState): AlvariumError | undefined {
  const isExpected = store.mark !== undefined && (mark !== undefined || first !== undefined)
  if (!isExpected || readMark(mark)) return undefined
  const fault = mark && mark.length > 0 ? 'damaged' : 'missing'
  const text = `store: the mark, with the numbers of the first and last record, is ${fault}: lost messages at either end cannot be counted`
  return new AlvariumError('STORE_DAMAGED', text)
}

function logWarnings({ isMarkDamaged, foreign, unchecked }: StoreState, logger: Logger): void {
  if (isMarkDamaged)
    logger.warn(
      {},
      'outbox: the mark of the store or its copy was damaged or gone, and the other one is used',
    )
  if (foreign) logger.warn({ entries: foreign }, 'outbox: the store has entries that are not from an outbox')
  if (!unchecked) return
  const text =
    'outbox: damaged files have more places where a message may begin than they can hold; some were not looked at'
  logger.warn({ places: unchecked }, text)
}

const READ_COUNT = 256

/** Returns the missing record numbers. Without `numbers()`, the backlog finds them later. */
async function missingFrom(store: OutboxStore, { settled, last }: Mark): Promise<Range[]> {
  return store.numbers && settled < last ? gapsOf(await store.numbers(), settled + 1, last) : []
}

/**
 * Returns the extent of the store: from the mark and the records after it, or without a mark, from all
 * records.
 */
async function extentOf(store: OutboxStore, { first, last, mark }: StoreState): Promise<Mark> {
  const marked = readMark(mark)
  if (first === undefined || last === undefined) return marked ?? EMPTY_MARK
  if (!marked) return await extentOfRecords(store, first, last)
  if (last <= marked.last) return marked
  const newest = await extentOfRecords(store, Math.max(first, marked.settled + 1), last)
  return { ...marked, last: newest.last, lastEnd: Math.max(newest.lastEnd, marked.lastEnd) }
}

async function extentOfRecords(store: OutboxStore, first: number, last: number): Promise<Mark> {
  const [oldest, newest] = [await recordAt(store, first), await recordAt(store, last)]
  if (!oldest || !newest) return await extentByReading(store, first, last)
  return {
    ...EMPTY_MARK,
    settled: first - 1,
    settledEnd: oldest.end - oldest.length,
    last,
    lastEnd: newest.end,
  }
}

/**
 * Reads all records, because the first or last is damaged. Adds the lengths of damaged records too, except
 * after a gap in the numbers, because the outbox numbers records consecutively.
 */
async function extentByReading(store: OutboxStore, first: number, through: number): Promise<Mark> {
  let [settledEnd, last, lastEnd] = [0, first - 1, 0]
  let isKnown = false
  for (let next = first; next <= through; ) {
    const records = await readRecords(store, next)
    for (const { number, bytes } of records) {
      const end = tryRead(number, bytes)?.end
      if (end === undefined && number > last + 1) continue
      if (end !== undefined && !isKnown) settledEnd = Math.max(0, end - bytes.length - lastEnd)
      isKnown ||= end !== undefined
      lastEnd = end ?? lastEnd + bytes.length
      last = number
    }
    next = Math.max(next, records.at(-1)?.number ?? next) + 1
    if (records.length === 0 && next > last + READ_COUNT) break
  }
  return { ...EMPTY_MARK, settled: first - 1, settledEnd, last, lastEnd }
}

async function recordAt(
  store: OutboxStore,
  number: number,
): Promise<(RecordContent & { length: number }) | undefined> {
  const [record] = await readRecords(store, number, 1)
  const stored = record?.number === number ? tryRead(number, record.bytes) : undefined
  return stored && record && { ...stored, length: record.bytes.length }
}

/** Reads records. Returns none if the first is damaged. */
async function readRecords(store: OutboxStore, from: number, maxCount = READ_COUNT) {
  try {
    return await store.read(from, maxCount)
  } catch (error) {
    if (error instanceof AlvariumError && error.code === 'STORE_DAMAGED') return []
    throw error
  }
}

function tryRead(number: number, bytes: Uint8Array): RecordContent | undefined {
  try {
    return readRecord(number, bytes)
  } catch {
    return undefined
  }
}
