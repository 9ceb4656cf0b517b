// @internal: no test can see what is posted to a worker, nor in which memory
import { AlvariumError } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import {
  groupsOf,
  join,
  messagesOf,
  joinMessages as oneBehindTheOther,
} from '../../dist/foundation/base/bytes/join.js'
import { CALLS } from '../../dist/sdk/pool/calls.js'
import { Job, type Packing } from '../../dist/sdk/pool/job.js'
import { MESSAGES, type Verifiable, verifiablesIn } from '../../dist/sdk/pool/messages.js'
import type { VerifyRequest } from '../../dist/sdk/pool/protocol.js'
import { utf8 } from '../support/bytes.js'

const call = {
  action: 'create',
  payload: { bytes: utf8('a'), isDigest: false },
  previous: undefined,
  annotatorBits: 0,
  answers: 0,
} as const
const verifiable = (message: string, payload?: string): Verifiable => ({
  message: utf8(message),
  payload: payload === undefined ? undefined : utf8(payload),
})
const ALL = [verifiable('a'), verifiable('b', 'its payload'), verifiable('', ''), verifiable('c')]

function packed(...items: readonly Verifiable[]) {
  const contents = MESSAGES.empty(0)
  for (const item of items) contents.add(item)
  return contents
}

const read = (contents: ReturnType<typeof MESSAGES.empty>) =>
  verifiablesIn(contents.post(1, 1).request as VerifyRequest)

describe('a group of messages for a pool worker', () => {
  it('is read as it was written, each message with its payload, an empty payload or none', () => {
    expect(read(packed(...ALL))).toEqual(ALL)
  })

  it('can be split into groups of one message each', () => {
    expect(
      packed(...ALL)
        .split()
        .map((one) => one && read(one)),
    ).toEqual(ALL.map((one) => [one]))
  })

  it('has room for 48 messages and 134,016 bytes', () => {
    const most = 134_016
    expect([MESSAGES.empty(0).hasRoom(most), MESSAGES.empty(0).hasRoom(most + 1)]).toEqual([true, false])
    const full = packed(...Array<Verifiable>(47).fill(verifiable('')))
    expect(full.hasRoom(0)).toBe(true)
    full.add(verifiable(''))
    expect(full.hasRoom(0)).toBe(false)
    const message = new Uint8Array(200_000).fill(1)
    const alone = MESSAGES.empty(message.length)
    alone.add({ message, payload: undefined })
    expect(alone.hasRoom(1)).toBe(false)
    expect(read(alone)).toEqual([{ message, payload: undefined }])
  })
})

it.each([
  ['calls', CALLS, call],
  ['messages', MESSAGES, { message: utf8('a'), payload: undefined }],
] as const)(
  'after a worker of a pool died, the memory that it had received is not reused for other %s',
  (_, packing, item) => {
    const setup = { keys: [], ecKeys: [], engine: 'auto', maxTableBytes: 0 } as const
    const context = { id: 1, setup, packing: packing as Packing<unknown>, pending: 0, isFreed: false }
    const jobOf = () => {
      const job = new Job(context, context.packing.empty(1), () => {})
      job.add(item, { bytes: 1, resolve: () => {}, reject: () => {} })
      return job
    }
    const rejected = jobOf()
    const { memory } = rejected.post().request
    rejected.reject(new AlvariumError('CORE_FAILED', 'it died'))
    const others = Array.from({ length: 40 }, () => jobOf().post().request.memory)
    expect(others).not.toContain(memory)
  },
)

describe('messages that are passed to the core in one call', () => {
  const parts = [1, 2, 3, 9, 0, 5].map((length) => new Uint8Array(length).fill(length))
  const lengths = (most: { count: number; bytes: number }) =>
    groupsOf(parts, most).map((group) => group.map(({ length }) => length))

  it('do not exceed a maximum number and total length, but a longer message is passed alone', () => {
    expect(lengths({ count: 2, bytes: 100 })).toEqual([
      [1, 2],
      [3, 9],
      [0, 5],
    ])
    expect(lengths({ count: 6, bytes: 6 })).toEqual([[1, 2, 3], [9], [0, 5]])
    expect(lengths({ count: 6, bytes: 5 })).toEqual([[1, 2], [3], [9], [0, 5]])
    expect(groupsOf([], { count: 2, bytes: 2 })).toEqual([])
  })

  it('are joined, and are split again into the original messages in the core', () => {
    expect(messagesOf(oneBehindTheOther(parts))).toEqual(parts)
    expect(messagesOf(oneBehindTheOther([]))).toEqual([])
    expect(join(parts).lengths).toEqual(Uint32Array.of(1, 2, 3, 9, 0, 5))
    const [alone] = parts
    expect(alone && join([alone]).bytes).toBe(alone)
  })
})
