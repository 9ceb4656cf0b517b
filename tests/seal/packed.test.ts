// @internal: no test can see what is posted to a worker, nor in which memory
import { describe, expect, it } from 'vitest'
import { digestInPlace, splitCalls } from '../../dist/signing/seal/packed.js'
import {
  MAX_GROUP_CALLS,
  PACKER_BYTES,
  Packer,
  viewPacked,
  writtenBytes,
} from '../../dist/signing/seal/packer.js'
import { utf8 } from '../support/bytes.js'

const taken = (bytes: Uint8Array, isDigest = false) => ({ bytes, isDigest })
const filled = (length: number, byte: number) => new Uint8Array(length).fill(byte)
const created = (payload: Uint8Array, tag?: Uint8Array) => ({
  action: 'create' as const,
  payload: taken(payload),
  previous: undefined,
  annotatorBits: 0,
  answers: 0,
  tag,
})
const mutated = (before: Uint8Array, after: Uint8Array, tag?: Uint8Array) => ({
  ...created(after, tag),
  action: 'mutate' as const,
  previous: taken(before),
})
const packerOf = (...calls: ReturnType<typeof created | typeof mutated>[]) => {
  const packer = new Packer()
  for (const call of calls) packer.add(call)
  return packer
}
const CALLS = [
  created(utf8('a')),
  mutated(utf8('before'), utf8('now'), utf8('tag')),
  created(new Uint8Array()),
]

describe('a group of calls in the memory of the core', () => {
  it('has room for 48 calls with at most 129 KiB together', () => {
    const packer = new Packer()
    expect([packer.hasRoom(129 * 1024), packer.hasRoom(129 * 1024 + 1)]).toEqual([true, false])
    const longest = filled(65_536, 1)
    packer.add(mutated(longest, longest, filled(1024, 2)))
    expect([packer.length, packer.hasRoom(0), packer.hasRoom(1)]).toEqual([129 * 1024, true, false])
    packer.clear()
    expect([packer.size, packer.length, packer.hasRoom(129 * 1024)]).toEqual([0, 0, true])
    for (let call = 0; call < 47; call++) packer.add(created(new Uint8Array()))
    expect(packer.hasRoom(0)).toBe(true)
    packer.add(created(new Uint8Array()))
    expect([packer.size, MAX_GROUP_CALLS, packer.hasRoom(0)]).toEqual([48, 48, false])
  })

  it('is unchanged by a call whose payload cannot be copied', () => {
    const packer = packerOf(...CALLS)
    const before = [packer.size, packer.length]
    const gone = taken(undefined as never)
    expect(() => packer.add({ ...mutated(utf8('b'), utf8('c')), previous: gone })).toThrow(TypeError)
    expect([packer.size, packer.length]).toEqual(before)
  })

  it('is split into its calls, each with its own bytes', () => {
    const { packed } = packerOf(...CALLS)
    const bytes = splitCalls(packed).map((one) => one.bytes)
    expect(bytes).toEqual([utf8('a'), utf8('nowbeforetag'), new Uint8Array()])
    for (const one of splitCalls(packed)) expect(splitCalls(one)).toEqual([one])
  })

  it('has the same bytes if it is split and assembled again from its calls', () => {
    const { packed } = packerOf(...CALLS)
    const packer = new Packer()
    for (const one of splitCalls(packed)) packer.copy(one)
    expect(packer.packed).toEqual(packed)
    expect([packer.size, packer.length]).toEqual([3, 13])
  })

  it('occupies exactly the first writtenBytes() bytes of its memory', () => {
    const memory = new ArrayBuffer(PACKER_BYTES)
    const packer = new Packer(memory)
    for (const call of CALLS) packer.add(call)
    const written = writtenBytes(packer.length)
    expect(new Uint8Array(memory, written).every((byte) => byte === 0)).toBe(true)
    const copy = new ArrayBuffer(PACKER_BYTES)
    new Uint8Array(copy).set(new Uint8Array(memory, 0, written))
    expect(viewPacked(copy, packer.size, packer.length)).toEqual(packer.packed)
  })
})

describe('payloads that are hashed in place', () => {
  /** Returns the first byte and the length of each hashed payload. */
  const hashed = (group: Parameters<typeof digestInPlace>[0], least: number) => {
    const seen: number[][] = []
    digestInPlace(group, least, (payload) => {
      seen.push([payload[0] as number, payload.length])
      return filled(32, payload[0] as number)
    })
    return seen
  }

  it('are all payloads of at least the minimum length, even with tags between them', () => {
    const { packed } = packerOf(
      mutated(filled(100, 1), filled(99, 2), utf8('tag')),
      created(filled(101, 3), utf8('a longer tag')),
      mutated(filled(99, 4), filled(100, 5)),
    )
    expect(hashed(packed, 100)).toEqual([
      [1, 100],
      [3, 101],
      [5, 100],
    ])
  })

  it('have at least the 32 bytes that the digest needs', () => {
    const { packed } = packerOf(...[0, 31, 32, 33].map((length) => created(filled(length, length))))
    expect(hashed(packed, 0)).toEqual([
      [32, 32],
      [33, 33],
    ])
  })

  it('are replaced by their digests, and are not hashed again', () => {
    const { packed } = packerOf(mutated(filled(40, 1), filled(40, 2), utf8('tag')), created(filled(40, 3)))
    const hash = (payload: Uint8Array) => filled(32, 100 + (payload[0] as number))
    digestInPlace(packed, 0, hash)
    const before = packed.bytes.slice()
    expect(hashed(packed, 0)).toEqual([])
    expect(packed.bytes).toEqual(before)
    const [first, second] = splitCalls(packed).map(({ bytes }) => bytes)
    expect([first?.[0], first?.[40], second?.[0]]).toEqual([102, 101, 103])
  })

  it('exclude a payload that was passed as a digest, even if the other payload of its mutate is hashed', () => {
    const call = mutated(filled(32, 1), filled(32, 2))
    const one = { ...call, payload: taken(filled(32, 2), true) }
    const other = { ...call, previous: taken(filled(32, 1), true) }
    expect(hashed(packerOf(one).packed, 0)).toEqual([[1, 32]])
    expect(hashed(packerOf(other).packed, 0)).toEqual([[2, 32]])
  })
})
