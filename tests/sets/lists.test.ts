import { keyOf, toHex } from 'alvarium-sdk'
import { openKeyList, sealSet } from 'alvarium-sdk/sets'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat, fromHex, utf8 } from '../support/bytes.js'
import { soon } from '../support/deferred.js'
import { runs } from '../support/runs.js'
import { key } from '../support/sdk.js'
import { payloadsOf, rootOver, sealed } from '../support/sets.js'
import { countedTurns } from '../support/turns.js'

const all = (list: { pieces(): Iterable<Uint8Array> }) => toHex(concat(...list.pieces()))
/** Keys that differ in few bytes: an attacker's choice to make sorting slow. */
const alike = fc
  .array(fc.tuple(fc.constantFrom(0, 1, 3, 4, 5, 7, 30, 31), fc.integer({ min: 0, max: 255 })), {
    maxLength: 3,
  })
  .map((changes) => {
    const key = new Uint8Array(32)
    for (const [at, value] of changes) key[at] = value
    return toHex(key)
  })

describe('the list of a sealed set', () => {
  it('is read without blocking the event loop, even if the source yields only empty pieces', async () => {
    let isOthersTurn = false
    async function* pieces() {
      soon(() => {
        isOthersTurn = true
      })
      while (!isOthersTurn) yield new Uint8Array(0)
      yield new Uint8Array(32)
    }
    expect((await openKeyList(pieces())).size).toBe(1)
  })

  it('is refused if the memory of a piece from the source is transferred while the piece is read', async () => {
    const bytes = new Uint8Array(32 * 2 ** 16)
    for (const [at] of bytes.entries()) if (at % 32 === 0) new DataView(bytes.buffer).setUint32(at, at)
    async function* pieces() {
      soon(() => structuredClone(bytes.buffer, { transfer: [bytes.buffer] }))
      yield bytes
    }
    const clock = await countedTurns(9)
    try {
      await expect(openKeyList(pieces())).rejects.toMatchObject({ code: 'MESSAGE_MALFORMED' })
    } finally {
      clock.end()
    }
  })

  // claim: sets-2, format-53
  it('is sorted, and contains each payload key once, however similar the payload keys are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(alike, { maxLength: 300 }), async (keys) => {
        const { list, set } = await sealed(keys)
        const expected = [...new Set(keys)].sort()
        expect(all(list)).toBe(expected.join(''))
        expect(set.rows).toBe(keys.length)
        expect(list.root).toBe(toHex(rootOver(expected.map(fromHex))))
      }),
      runs(60),
    )
  })

  it('is sorted even if very many keys begin with the same bytes', async () => {
    const keys = Array.from({ length: 70_000 }, (_, at) => {
      return `${'ab'.repeat(28)}${((at * 48_271) % 65_521).toString(16).padStart(8, '0')}`
    })
    const { list, set } = await sealed(keys)
    const expected = [...new Set(keys)].sort()
    expect([set.rows, set.size]).toEqual([70_000, expected.length])
    expect(all(list)).toBe(expected.join(''))
  })

  it('contains one key for 70,000 equal payloads', async () => {
    const { set } = await sealed(Array.from({ length: 70_000 }, () => 'cd'.repeat(32)))
    expect([set.rows, set.size]).toEqual([70_000, 1])
  })

  it('is the same for a slow source, and for memory that the source reuses', async () => {
    async function* slowly() {
      const memory = new Uint8Array(2000)
      for (const payload of [...payloadsOf(300), new Uint8Array(2000).fill(9)]) {
        memory.set(payload)
        yield memory.subarray(0, payload.length)
      }
    }
    const { list } = await sealed([...payloadsOf(300), new Uint8Array(2000).fill(9)])
    expect((await sealed(slowly())).list.root).toBe(list.root)
  })

  it('is read in pieces of any length', async () => {
    const { list } = await sealed(payloadsOf(100))
    const bytes = concat(...list.pieces())
    for (const length of [1, 31, 32, 33, 64, 100, 5000]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
        bytes.subarray(at * length, (at + 1) * length),
      )
      expect((await openKeyList(pieces)).root).toBe(list.root)
    }
    expect((await openKeyList(bytes)).size).toBe(100)
  })

  it('yields its payload keys in order, any number of times, unless the set has a salt', async () => {
    const payloads = payloadsOf(20)
    const keys = (await sealed(payloads)).list.keys()
    const expected = payloads.map((one) => keyOf(one)).sort()
    for (let time = 0; time < 2; time++) expect([...keys]).toEqual(expected)
    const salted = await sealed(payloads, { salt: new Uint8Array(32) })
    expect(() => salted.list.keys()).toThrow(
      'list: expected the list of a set without a salt, got the list of a salted set',
    )
  })

  it('is made with the original salt, even if the caller overwrites the salt meanwhile', async () => {
    const [salt, payloads] = [new Uint8Array(32).fill(7), payloadsOf(3)]
    const used = new Uint8Array(salt)
    const items = async function* () {
      for (const payload of payloads) {
        yield payload
        used.fill(0)
      }
    }
    const { list } = await sealSet(items(), { signingKey: key.signingKey, salt: used })
    expect(list.root).toBe((await sealed(payloads, { salt })).list.root)
  })

  it('is searched with the original salt, even if the caller overwrites the salt meanwhile', async () => {
    const [salt, payloads] = [new Uint8Array(32).fill(7), payloadsOf(3)]
    const { list } = await sealed(payloads, { salt: new Uint8Array(salt) })
    async function* pieces() {
      salt.fill(0)
      yield* list.pieces()
    }
    const read = await openKeyList(pieces(), { salt })
    expect(payloads.map((one) => read.has(one))).toEqual([true, true, true])
  })

  // claim: sets-9
  it('is refused if it is unsorted, repeats a key, ends within a key, or is too long', async () => {
    const bytes = concat(...(await sealed(payloadsOf(5))).list.pieces())
    const [first, second] = [bytes.subarray(0, 32), bytes.subarray(32, 64)]
    const refused = [
      concat(second, first),
      concat(first, first),
      bytes.subarray(0, 159),
      concat(first, second, first),
    ]
    for (const one of refused) {
      await expect(openKeyList(one)).rejects.toMatchObject({ code: 'MESSAGE_MALFORMED' })
    }
    await expect(openKeyList(bytes, { maxKeys: 4 })).rejects.toMatchObject({ code: 'MESSAGE_MALFORMED' })
    expect((await openKeyList(bytes, { maxKeys: 5 })).size).toBe(5)
  })
})

describe('sealSet', () => {
  const codeOf = (items: Iterable<never>, options: object = {}) =>
    sealed(items, options).then(
      () => 'sealed',
      (error) => error.code ?? error.name,
    )
  const items = (...given: unknown[]) => given as never[]

  // claim: sets-23
  it('accepts payloads, payload keys and records, and refuses other items', async () => {
    expect(await codeOf(items(utf8('a'), 'AB'.repeat(32), { bytes: utf8('b') }))).toBe('sealed')
    for (const wrong of [7, null, undefined, {}, [utf8('a')], { bytes: 'text' }]) {
      expect(await codeOf(items(wrong))).toBe('TypeError')
    }
    for (const wrong of ['', 'a payload', 'AB'.repeat(16), `${'AB'.repeat(31)}AX`]) {
      expect(await codeOf(items(wrong))).toBe('CONFIG_INVALID')
    }
  })

  it('does not quote an invalid item in its error, because the item may be a payload', async () => {
    await expect(sealed(items('my secret'))).rejects.toThrow(
      'item: expected a payload key of sha256, 64 hexadecimal digits, got a text of 9 characters',
    )
  })

  it('checks its options before it reads any item', async () => {
    let read = 0
    function* counted() {
      read++
      yield utf8('a') as never
    }
    const wrong = [{ name: 'n'.repeat(256) }, { host: '\ud800' }, { salt: new Uint8Array(16) }, { more: 1 }]
    for (const options of wrong) expect(await codeOf(counted(), options)).toBe('CONFIG_INVALID')
    expect(await codeOf(counted(), { at: Number.NaN })).toBe('TypeError')
    expect(read).toBe(0)
  })

  it('rejects with the error of its source', async () => {
    async function* broken() {
      yield utf8('a')
      throw new Error('the disk is gone')
    }
    await expect(sealed(broken())).rejects.toThrow('the disk is gone')
  })
})
