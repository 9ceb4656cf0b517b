import { keyOf } from 'alvarium-sdk'
import { proveUpdate, type VerifiedSet, verifyUpdate } from 'alvarium-sdk/sets'
import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { changed, payloadsOf, sealed } from '../support/sets.js'
import { countedTurns } from '../support/turns.js'

const keysOf = (payloads: readonly Uint8Array[]) => payloads.map((one) => keyOf(one)).sort()
const payloads = payloadsOf(40)

async function both(before: readonly Uint8Array[], after: readonly Uint8Array[], options = {}) {
  const [old, now] = [await sealed(before, options), await sealed(after, options)]
  const lists = { before: old.list, after: now.list }
  const update = await proveUpdate(old.list, now.list)
  const verify = (given: object, one: VerifiedSet = old.verified, other = now.verified) =>
    verifyUpdate(one, other, given)
  const codeOf = (given: object, one?: VerifiedSet, other?: VerifiedSet) =>
    verify(given, one, other).then(
      () => 'verified',
      ({ code }) => code,
    )
  return { old, now, lists, update, verify, codeOf }
}

describe('an update from one set to another', () => {
  it.each([
    ['no change', 0, 40, 0, 40],
    ['additions at both ends', 5, 35, 0, 40],
    ['removals and additions', 0, 30, 10, 40],
    ['the addition of all payloads', 0, 0, 0, 40],
    ['the removal of all payloads', 0, 40, 0, 0],
  ])('with %s lists and proves each change', async (_, from, until, later, last) => {
    const [before, after] = [payloads.slice(from, until), payloads.slice(later, last)]
    const { update, verify, lists } = await both(before, after)
    const expected = {
      added: keysOf(after.filter((one) => !before.includes(one))),
      removed: keysOf(before.filter((one) => !after.includes(one))),
    }
    expect(await verify({ update })).toEqual({ ...expected, others: 'claimed' })
    expect(await verify({ update, lists })).toEqual({ ...expected, others: 'checked' })
    expect(await verify({ lists })).toEqual({ ...expected, others: 'checked' })
  })

  it('is verified for salted sets only if both have the same salt', async () => {
    const salt = new Uint8Array(32).fill(1)
    const { update, verify, old, codeOf } = await both(payloads.slice(0, 5), payloads.slice(0, 7), { salt })
    const { added, removed } = await verify({ update })
    expect([added.length, removed.length]).toEqual([2, 0])
    expect(added).not.toEqual(keysOf(payloads.slice(5, 7)))
    const other = await sealed(payloads.slice(0, 7), { salt: salt.map((byte) => byte + 1) })
    expect(await codeOf({ update }, old.verified, other.verified)).toBe('PROOF_INVALID')
    // Each list fits its set, and every entry would seem to have changed.
    const lists = { before: old.list, after: other.list }
    expect(await codeOf({ lists }, old.verified, other.verified)).toBe('PROOF_INVALID')
  })

  // claim: sets-15
  it('is refused without an addition or a removal, and without both if the lists are given', async () => {
    const { update, codeOf, lists } = await both(payloads.slice(0, 30), payloads.slice(10))
    const without = (...names: string[]) =>
      changed(update, (content) =>
        Object.fromEntries(names.map((name) => [name, (content[name] as unknown[]).slice(1)])),
      )
    expect(await codeOf({ update: without('added') })).toBe('PROOF_INVALID')
    expect(await codeOf({ update: without('removed') })).toBe('PROOF_INVALID')
    // The counts are equal: only the lists reveal the change.
    expect(await codeOf({ update: without('added', 'removed') })).toBe('verified')
    expect(await codeOf({ update: without('added', 'removed'), lists })).toBe('PROOF_INVALID')
  })

  // claim: format-55
  it('is refused if it is altered anywhere', async () => {
    const { update, codeOf, old, now } = await both(payloads.slice(0, 30), payloads.slice(10))
    type Changes = { entry: string; absent: object; member: object }[]
    const lies: ((content: { added: Changes; removed: Changes }) => object)[] = [
      ({ added, removed }) => ({ added: removed, removed: added }),
      ({ added }) => ({ added: [...added].reverse() }),
      ({ added }) => ({ added: [added[0], added[0], ...added.slice(2)] }),
      ({ added }) => ({ added: added.map((one) => ({ ...one, entry: '00'.repeat(32) })) }),
      ({ added }) => ({ added: added.map((one) => ({ ...one, member: added[0]?.member })) }),
      ({ added }) => ({ added: added.map((one) => ({ ...one, absent: added[0]?.absent })) }),
      () => ({ before: '00'.repeat(32) }),
      () => ({ after: '00'.repeat(32) }),
    ]
    for (const lie of lies) {
      const lying = changed(update, lie as never)
      expect(await codeOf({ update: lying }), lie.toString()).toBe('PROOF_INVALID')
    }
    expect(await codeOf({ update }, now.verified, old.verified)).toBe('PROOF_INVALID')
    expect(await codeOf({ update: utf8(` ${textOf(update)}`) })).toBe('MESSAGE_MALFORMED')
    expect(await codeOf({ update: new Uint8Array(2_097_153) })).toBe('MESSAGE_MALFORMED')
  })

  it('with more changes than the limit is refused, with the limit in the error', async () => {
    const { verified: set } = await sealed(payloadsOf(1))
    const content = { before: set.root, after: set.root, added: Array(16_385).fill(0), removed: [] }
    const update = utf8(JSON.stringify({ messageType: 'alvarium.SetUpdate/1', content }))
    await expect(verifyUpdate(set, set, { update })).rejects.toThrow(
      'update.content.added: expected at most 16384 changes, got an Array',
    )
  })

  it('is refused with the lists of other sets', async () => {
    const { codeOf, lists, update } = await both(payloads.slice(0, 3), payloads.slice(0, 4))
    expect(await codeOf({})).toBe('CONFIG_INVALID')
    expect(await codeOf({ update, lists: { before: lists.after, after: lists.before } })).toBe(
      'PROOF_INVALID',
    )
    for (const one of [lists.before, lists.after]) {
      expect(await codeOf({ lists: { before: one, after: one } })).toBe('PROOF_INVALID')
    }
    expect(await codeOf({ update, list: 1 })).toBe('CONFIG_INVALID')
  })

  it('lets the event loop run while it compares long lists', async () => {
    const many = payloadsOf(40_000)
    const { verify, lists } = await both(many, many.slice(1))
    const turns = await countedTurns(9)
    try {
      expect((await verify({ lists })).removed).toHaveLength(1)
      // The clock is read every 8,192 keys; without these readings, there are no turns.
      expect(turns.count).toBeGreaterThan(1)
    } finally {
      turns.end()
    }
  })

  // claim: sets-16
  it('is not made if there are more changes than the limit', async () => {
    const [old, now] = [await sealed(payloadsOf(1000)), await sealed(payloadsOf(3000).slice(1000))]
    await expect(proveUpdate(old.list, now.list)).rejects.toMatchObject({ code: 'PROOF_INVALID' })
  })
})
