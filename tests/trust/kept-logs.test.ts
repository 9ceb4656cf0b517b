// @internal: limits of a data structure, which a subscription reaches after 100,000 messages
import 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { LogCache } from '../../dist/evidence/trust/leases/log-cache.js'

type Checkpoint = Parameters<LogCache['add']>[0]

const run = '00'.repeat(16)
const rootAt = (size: number) => `root-${size}`
const leafAt = (position: number) => `leaf-${position}`

/** Returns a checkpoint of a log, from one size to another. */
const checkpointOf = (from: number, size: number): Checkpoint => ({
  signer: 'a',
  run,
  size,
  root: rootAt(size),
  peaks: [],
  from: { size: from, root: rootAt(from) },
  entries: Array.from({ length: size - from }, (_, at) => ({ leaf: leafAt(from + at) })),
})
const lease = { keyId: 'a', issuer: 'gateway' }
const stating = (size: number) => [{ from: '2026-11-20T10:00:00Z', log: { run, size, root: rootAt(size) } }]
const statedIn =
  (logs: LogCache, keyId = 'a') =>
  (position: number) =>
    logs.get(keyId)?.statedAt(leafAt(position)) !== undefined

describe('the cached log of a leased key', () => {
  it('lists its messages when a lease with the root of the log arrives', () => {
    const logs = new LogCache()
    logs.add(checkpointOf(0, 2), lease)
    expect(logs.takeProved()).toEqual([])
    logs.state('a', stating(4))
    expect([0, 1, 2].map(statedIn(logs))).toEqual([false, false, false])
    logs.add(checkpointOf(2, 4), lease)
    expect([logs.takeProved(), logs.takeProved()]).toEqual([['a'], []])
    expect([0, 1, 2, 3, 4].map(statedIn(logs))).toEqual([true, true, true, true, false])
    logs.add(checkpointOf(2, 4), lease)
    expect(logs.takeProved()).toEqual([])
    // The policy has revoked that lease.
    logs.state('a', [])
    expect([0, 3].map(statedIn(logs))).toEqual([false, false])
  })

  it('lists its messages even if the lease with the root of the log arrives after the checkpoints', () => {
    const logs = new LogCache()
    logs.state('a', [])
    for (const from of [2, 0]) logs.add(checkpointOf(from, from + 2), lease)
    logs.state('a', stating(4))
    expect([0, 1, 2, 3].map(statedIn(logs))).toEqual([true, true, true, true])
  })

  it('still lists a message when one of two checkpoints that list the message is dropped', () => {
    const logs = new LogCache(100, 9)
    // A thief of the key may list any message in another log.
    logs.add({ ...checkpointOf(0, 2), root: 'another', size: 7 }, lease)
    logs.add(checkpointOf(0, 2), lease)
    logs.state('a', stating(2))
    expect(statedIn(logs)(0)).toBe(true)
    logs.add(checkpointOf(2, 6), lease)
    expect(statedIn(logs)(0)).toBe(true)
  })

  it('counts towards the limit of its issuer, and only the oldest messages of that issuer are dropped beyond the limit', () => {
    const logs = new LogCache(20, 9)
    const others = { keyId: 'b', issuer: 'other' }
    logs.add({ ...checkpointOf(0, 4), signer: 'b' }, others)
    for (const from of [0, 4, 8]) logs.add(checkpointOf(from, from + 4), lease)
    logs.state('a', [...stating(4), ...stating(8), ...stating(12)])
    logs.state('b', stating(4))
    expect([0, 3, 4, 8].map(statedIn(logs))).toEqual([false, false, false, true])
    expect(statedIn(logs, 'b')(0)).toBe(true)
    const third = { keyId: 'c', issuer: 'third' }
    logs.add({ ...checkpointOf(0, 8), signer: 'c' }, third)
    expect([statedIn(logs, 'b')(0), statedIn(logs)(8)]).toEqual([true, true])
    logs.add({ ...checkpointOf(0, 4), signer: 'd' }, { keyId: 'd', issuer: 'fourth' })
    expect([statedIn(logs, 'b')(0), statedIn(logs)(8)]).toEqual([false, true])
  })

  it('is forgotten with the last lease of its key', () => {
    const logs = new LogCache(20, 20)
    logs.add(checkpointOf(0, 15), lease)
    logs.forget('a')
    expect(logs.get('a')).toBeUndefined()
    // The counters are empty again, so there is room.
    logs.add(checkpointOf(0, 15), lease)
    logs.state('a', stating(15))
    expect(statedIn(logs)(14)).toBe(true)
  })

  it('is forgotten with the last lease of its key, even if another issuer granted that lease', () => {
    const logs = new LogCache()
    logs.add(checkpointOf(0, 4), lease)
    logs.forget('a')
    const again = { keyId: 'a', issuer: 'other' }
    logs.add(checkpointOf(0, 4), again)
    logs.forget('a')
    logs.add(checkpointOf(0, 4), lease)
    logs.state('a', stating(4))
    expect(statedIn(logs)(3)).toBe(true)
  })

  it.each([
    ['without peaks', { peaks: undefined }],
    ['without a list of messages', { from: { size: 4, root: rootAt(4) } }],
  ])('lists no message of a checkpoint %s', (_, more) => {
    const logs = new LogCache()
    logs.add({ ...checkpointOf(0, 4), ...more }, lease)
    logs.state('a', stating(4))
    expect(statedIn(logs)(0)).toBe(false)
  })
})
