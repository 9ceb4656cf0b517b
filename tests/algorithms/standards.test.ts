import { loadAlgorithms, verifyBytes } from 'alvarium-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { concat, fromHex, utf8 } from '../support/bytes.js'
import standards from '../vectors/algorithms.json' with { type: 'json' }
import p256 from '../vectors/wycheproof-p256.json' with { type: 'json' }
import secp256k1 from '../vectors/wycheproof-secp256k1.json' with { type: 'json' }

beforeAll(() => loadAlgorithms())

/** Returns whether s is the lower one: at most half of n, and that half begins with 7f on both curves. */
const isLow = (signature: Uint8Array) => (signature[32] as number) < 0x7f || signature[32] === 0x7f

describe.each([
  ['P-256', p256],
  ['secp256k1', secp256k1],
] as const)('the Wycheproof vectors for %s', (algorithm, { groups, numberOfTests }) => {
  // claim: threats-14
  it('verify only if they are valid and have the lower s', () => {
    let counted = 0
    for (const { publicKey, tests } of groups) {
      for (const { msg, sig, result, comment, tcId } of tests) {
        const signature = fromHex(sig)
        const isTaken = verifyBytes({ algorithm, point: publicKey }, fromHex(msg), signature)
        const isDoubtful = signature[32] === 0x7f
        if (!isDoubtful)
          expect([tcId, comment, isTaken]).toEqual([tcId, comment, result === 'valid' && isLow(signature)])
        else if (result !== 'valid') expect([tcId, isTaken]).toEqual([tcId, false])
        counted++
      }
    }
    expect(counted).toBe(numberOfTests)
  })
})

describe('a published signature', () => {
  it('in GB/T 32918.5 verifies, and does not verify with an altered message', () => {
    const { point, message, r, s } = standards.gbt32918
    const verifies = (text: string, signature: string) =>
      verifyBytes({ algorithm: 'SM2', point }, utf8(text), fromHex(signature))
    expect(verifies(message, r + s)).toBe(true)
    expect(verifies(`${message}.`, r + s)).toBe(false)
    expect(verifies(message, s + r)).toBe(false)
  })

  it('in RFC 6979 verifies only if it has the lower s', () => {
    const { point, tests } = standards.rfc6979
    const verdicts = tests.map(({ message, r, s }) =>
      verifyBytes({ algorithm: 'P-256', point }, utf8(message), concat(fromHex(r), fromHex(s))),
    )
    expect(verdicts).toEqual([false, true])
  })
})
