import { AlvariumError, Keyring, type VerifiedAnnotation, verifyClassic } from 'alvarium-sdk'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { base64, concat, utf8 } from '../support/bytes.js'
import { everyCase, keyringOf, listOf, verifiedOf } from '../support/classic.js'
import { runs } from '../support/runs.js'

const keyring = new Keyring([...keyringOf('go'), ...keyringOf('rust')])

describe('verifyClassic with random input', () => {
  const genuine = everyCase.map(([, , { message }]) => message)
  const place = fc.nat({ max: 4000 })

  const signed = new Map<string, VerifiedAnnotation>()
  beforeAll(async () => {
    for (const message of genuine) {
      for (const one of verifiedOf(await verifyClassic(utf8(message), { keyring }))) signed.set(one.id, one)
    }
    expect(signed.size).toBe(269)
  })

  /** Returns the verified annotations, which must be signed ones. MESSAGE_MALFORMED is the only error allowed. */
  async function judge(bytes: Uint8Array): Promise<VerifiedAnnotation[]> {
    try {
      const verified = verifiedOf(await verifyClassic(bytes, { keyring }))
      for (const one of verified) expect(one).toEqual(signed.get(one.id))
      return verified
    } catch (error) {
      if (!(error instanceof AlvariumError)) throw error
      expect(error.code).toBe('MESSAGE_MALFORMED')
      return []
    }
  }

  const edits = fc.array(fc.tuple(place, fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 })
  const edited = (bytes: Uint8Array, changes: [number, number][]) => {
    const copy = Uint8Array.from(bytes)
    for (const [at, byte] of changes) copy[at % copy.length] = byte
    return copy
  }
  const inList = (message: string, alter: (list: Uint8Array) => Uint8Array) => {
    const content = base64(alter(utf8(listOf(message))))
    return utf8(JSON.stringify({ ...JSON.parse(message), content }))
  }
  const message = fc.constantFrom(...genuine)
  const mutations = fc.oneof(
    fc.tuple(message, edits).map(([text, changes]) => edited(utf8(text), changes)),
    fc.tuple(message, edits).map(([text, changes]) => inList(text, (list) => edited(list, changes))),
    fc
      .tuple(message, message, place, place)
      .map(([text, other, from, to]) =>
        inList(text, (list) =>
          concat(list.subarray(0, from % list.length), utf8(listOf(other)).subarray(to % list.length)),
        ),
      ),
    fc
      .tuple(message, place, fc.constantFrom('"', '\\', '\\u0000', '{', '}', ',', '[]', 'null', ' ', 'é'))
      .map(([text, at, insert]) =>
        inList(text, (list) => {
          const where = at % list.length
          return concat(list.subarray(0, where), utf8(insert), list.subarray(where))
        }),
      ),
    fc.tuple(message, fc.constantFrom(...genuine)).map(([text, other]) => {
      const { messageType } = JSON.parse(other)
      return utf8(JSON.stringify({ ...JSON.parse(text), messageType }))
    }),
  )

  it('verifies only signed content of randomly altered messages, and throws only AlvariumError', async () => {
    let verified = 0
    const check = fc.asyncProperty(mutations, async (bytes) => {
      verified += (await judge(bytes)).length
    })
    const tried = runs(3_000)
    await fc.assert(check, tried)
    // The other annotations of a message still verify after one is altered.
    expect(verified).toBeGreaterThan(0.1 * tried.numRuns)
  })

  it('verifies no random bytes and no random JSON', async () => {
    const content = fc.oneof(fc.json(), fc.string()).map((text) => base64(utf8(text)))
    const types = genuine.map((one) => JSON.parse(one).messageType)
    const json = fc.record({ action: fc.constant('create'), messageType: fc.constantFrom(...types), content })
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 500 }),
      fc.json().map(utf8),
      json.map((one) => utf8(JSON.stringify(one))),
    )
    const check = fc.asyncProperty(anything, async (bytes) => {
      expect(await judge(bytes)).toEqual([])
    })
    await fc.assert(check, runs(1_000))
  })
})
