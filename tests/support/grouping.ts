// @internal: a broker shows only by chance which messages are acknowledged, and when
import { type Group, type ReceivedBundle, type ReceivedClassic, source } from 'alvarium-sdk'
import { onTestFinished, vi } from 'vitest'
import { Inbox } from '../../dist/transport/streams/mqtt/inbox.js'
import { Consumer } from '../../dist/verifying/consume/consumer.js'
import {
  type ControlVerifier,
  type GroupOptions,
  readGroupOptions,
} from '../../dist/verifying/consume/group.js'
import { type ConsumeOptions, readConsumeOptions } from '../../dist/verifying/consume/options.js'
import { withTimeouts } from '../../dist/verifying/consume/timeouts.js'
import { utf8 } from './bytes.js'
import { keyring, lastOf, opened } from './sdk.js'

/** The real `setTimeout`, also where a test stops the clock. */
const later = setTimeout

export type One = Group<ReceivedBundle | ReceivedClassic>

const ids = new Map<Uint8Array, string>()
/**
 * Returns a message whose payload is its own key. Its SDK is new, because in browsers a test of another file may have
 * broken the core of an older one.
 */
export async function message(text: string): Promise<Uint8Array> {
  const { sdk } = await opened([source()], { hash: 'none' })
  const { message, id } = await sdk.create(utf8(text))
  ids.set(message, id)
  return message
}
export const idOf = (message: Uint8Array) => ids.get(message) as string
export const many = (count: number) => Promise.all(Array.from({ length: count }, (_, at) => message(`${at}`)))
export async function batch(count: number): Promise<Uint8Array> {
  const { sdk, stream } = await opened([source()], { batch: { maxBundles: count, maxDelayMs: 3_600_000 } })
  await sdk.createMany(Array.from({ length: count }, (_, at) => utf8(`${at}`)))
  await sdk.close()
  return lastOf(stream)
}
const HOUR = 3_600_000

interface Options extends ConsumeOptions, GroupOptions {
  readonly prefetch?: number
  readonly classic?: boolean
  /** Consumer of leases and checkpoints. */
  readonly taker?: ControlVerifier
}

/** Starts a loop over groups from an inbox. Returns the loop, and the order numbers of acknowledged messages. */
export function grouping({
  max,
  maxMs = HOUR,
  prefetch = 1000,
  classic = false,
  taker,
  ...options
}: Options = {}) {
  const inbox = new Inbox(prefetch)
  const acked: number[] = []
  const user = {
    trust: { keyring },
    classic: classic ? { emptyLists: 'reject' as const } : undefined,
    logger: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() },
    isOver: () => false,
    onRejected: vi.fn(),
  }
  const from = {
    begin: async () => {},
    take: () => inbox.take(),
    get isFull() {
      return inbox.full
    },
    end: vi.fn(async () => {}),
  }
  const consumer = new Consumer(withTimeouts(readConsumeOptions(options), new AbortController().signal), user)
  const loop = consumer.deliverGroups(from, readGroupOptions({ ...(max && { max }), maxMs }), taker)
  onTestFinished(() => void inbox.end())
  let count = 0
  /** Messages that wait for capacity, as in a connection. */
  const waiting: Uint8Array[] = []
  let isReading = true
  const read = () => {
    isReading = true
    const next = waiting.shift()
    if (!next) return
    isReading = false
    const at = count++
    const mail = { topic: 't', message: next, retain: false, dup: false }
    inbox.put({ ...mail, acknowledge: () => void acked.push(at) }, read)
  }
  const come = (...messages: Uint8Array[]) => {
    waiting.push(...messages)
    if (isReading) read()
  }
  const group = async (): Promise<One> => {
    const { done, value } = await loop.next()
    if (done) throw new Error('expected a group, got the end')
    return value
  }
  /** Returns an incomplete group after its time has passed: for tests that stop the clock. */
  const rest = async (): Promise<One> => {
    const next = group()
    await settles(next)
    vi.advanceTimersByTime(maxMs)
    return next
  }
  return { inbox, acked, user, from, consumer, loop, come, group, rest }
}

/** Returns whether a promise settles once all due work has run. */
export async function settles(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const done = () => {
    settled = true
  }
  promise.then(done, done)
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => later(resolve))
  return settled
}

export const keyIn = (bundle: One['bundles'][number] | undefined) =>
  bundle?.format === 'bundle' ? bundle.key : undefined
export const sizes = (groups: readonly One[]) => groups.map(({ bundles }) => bundles.length)

/** Stops the clock until the test is over. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
}
