import { keyOf, toHex } from 'alvarium-sdk'
import {
  openKeyList,
  proveAbsent,
  proveMember,
  sealSet,
  type VerifiedSet,
  verifyAbsent,
  verifyMember,
  verifySet,
} from 'alvarium-sdk/sets'
import { describe, expect, it } from 'vitest'
import { base64, concat, fromBase64, fromHex, textOf, utf8 } from '../support/bytes.js'
import { changed, payloadsOf, rootOver, sealed, signedSet } from '../support/sets.js'

function codeOf(act: () => unknown): string {
  try {
    act()
    return 'it returned'
  } catch (error) {
    return (error as { code: string }).code
  }
}

const others = (count: number) => Array.from({ length: count }, (_, at) => utf8(`other ${at}`))
const contentOf = (message: Uint8Array) => JSON.parse(textOf(message)).content

describe.each([0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 100, 257])('a set of %d payloads', (size) => {
  it('has a proof for each member, and a proof of absence for other payloads', async () => {
    const { list, verified } = await sealed(payloadsOf(size))
    expect([verified.size, verified.rows]).toEqual([size, size])
    const indexes = payloadsOf(size).map((one) => verifyMember(verified, proveMember(list, one), one).index)
    expect(new Set(indexes).size).toBe(size)
    for (const one of others(40)) {
      expect(list.has(one)).toBe(false)
      expect(verifyAbsent(verified, proveAbsent(list, one), one)).toEqual({ sorted: 'claimed' })
    }
  })

  it('has the root of the tree over its sorted payload keys', async () => {
    const { set } = await sealed(payloadsOf(size))
    const keys = payloadsOf(size)
      .map((one) => keyOf(one))
      .sort()
    expect(set.root).toBe(toHex(rootOver(keys.map(fromHex))))
  })
})

describe('proofs about a set', () => {
  // claim: sets-10
  it('contain a single key if they show absence before the first key or after the last key', async () => {
    const { list, verified } = await sealed(payloadsOf(20))
    for (const [key, index] of [
      ['00', 0],
      ['FF', 19],
    ] as const) {
      const proof = proveAbsent(list, key.repeat(32))
      expect(contentOf(proof)).toMatchObject({ index, entries: [expect.any(String)] })
      verifyAbsent(verified, proof, key.repeat(32))
    }
  })

  it('can be made for a payload, a payload key in upper-case or lower-case digits, or a record', async () => {
    const [payload = utf8('')] = payloadsOf(1)
    const { list, verified } = await sealed(payloadsOf(9))
    const key = keyOf(payload)
    const proofs = [payload, key, key.toLowerCase(), { bytes: payload }].map((item) =>
      textOf(proveMember(list, item)),
    )
    expect(new Set(proofs).size).toBe(1)
    for (const item of [payload, key, { bytes: payload }]) verifyMember(verified, utf8(proofs[0] ?? ''), item)
  })

  it('cannot show a non-member as a member, or a member as absent', async () => {
    const { list } = await sealed(payloadsOf(9))
    expect(codeOf(() => proveMember(list, utf8('other')))).toBe('PROOF_INVALID')
    expect(codeOf(() => proveAbsent(list, utf8('payload 1')))).toBe('PROOF_INVALID')
  })

  // claim: sets-13
  it('show absence with sorted: "checked" if the set was verified with its list', async () => {
    const { message, list, keyring } = await sealed(payloadsOf(9))
    const checked = await verifySet(message, { keyring, list })
    expect(verifyAbsent(checked, proveAbsent(list, utf8('other')), utf8('other'))).toEqual({
      sorted: 'checked',
    })
    const stored = await openKeyList([...list.pieces()])
    expect((await verifySet(message, { keyring, list: stored })).sorted).toBe('checked')
  })

  it('are verified only against the object from verifySet, and not against a copy of it', async () => {
    const { list, verified, set } = await sealed(payloadsOf(9))
    const proof = proveMember(list, utf8('payload 1'))
    for (const unverified of [set, { ...verified }, undefined] as unknown as VerifiedSet[]) {
      expect(() => verifyMember(unverified, proof, utf8('payload 1'))).toThrow(TypeError)
    }
  })

  // claim: sets-14
  it('need the salt of a salted set, and no other salt', async () => {
    const [salt, wrong] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)]
    const { message, list, keyring, verified } = await sealed(payloadsOf(9), { salt })
    const proof = proveMember(list, utf8('payload 1'))
    verifyMember(verified, proof, utf8('payload 1'))
    expect(textOf(proof)).not.toContain(keyOf(utf8('payload 1')).toLowerCase())
    const without = await verifySet(message, { keyring })
    expect(codeOf(() => verifyMember(without, proof, utf8('payload 1')))).toBe('CONFIG_INVALID')
    for (const given of [wrong, salt.subarray(1)]) {
      await expect(verifySet(message, { keyring, salt: given })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
      })
    }
    const unsalted = await sealed(payloadsOf(9))
    await expect(verifySet(unsalted.message, { keyring: unsalted.keyring, salt })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    })
  })

  it('are refused if they are altered anywhere', async () => {
    const { list, verified } = await sealed(payloadsOf(21))
    const [member, absent] = [proveMember(list, utf8('payload 1')), proveAbsent(list, utf8('other'))]
    const refused = (proof: Uint8Array) => [
      codeOf(() => verifyMember(verified, proof, utf8('payload 1'))),
      codeOf(() => verifyAbsent(verified, proof, utf8('other'))),
    ]
    for (const proof of [member, absent]) {
      const { index, entries, path } = contentOf(proof)
      const hashes = fromBase64(path)
      const lies: object[] = [
        { index: index + 1 },
        { index: index + 2 ** 32 },
        { entries: [] },
        { entries: [...entries].reverse(), says: 'absent', index: index + 1 },
        { entries: entries.slice(0, 1), says: 'absent' },
        { entries: entries.map(() => '00'.repeat(32)) },
        { path: '' },
        { path: base64(hashes.subarray(32)) },
        { path: base64(hashes.subarray(0, -32)) },
        { path: base64(concat(hashes, hashes.subarray(0, 32))) },
        { path: base64(concat(hashes.subarray(32), hashes.subarray(0, 32))) },
        { root: '00'.repeat(32) },
      ]
      for (const lie of lies) {
        expect(refused(changed(proof, () => lie)), JSON.stringify(lie)).toEqual([
          'PROOF_INVALID',
          'PROOF_INVALID',
        ])
      }
    }
    expect(refused(member)).toEqual(['it returned', 'PROOF_INVALID'])
    expect(refused(absent)).toEqual(['PROOF_INVALID', 'it returned'])
  })

  it("are refused for an empty set, even if their root was replaced by the empty set's root", async () => {
    const [payload, other] = [utf8('payload'), utf8('other')]
    const [empty, one] = await Promise.all([sealed([]), sealed([payload])])
    const proof = changed(proveMember(one.list, payload), () => ({ root: empty.list.root }))
    expect(codeOf(() => verifyMember(empty.verified, proof, payload))).toBe('PROOF_INVALID')
    const says = changed(proof, () => ({ says: 'absent' }))
    expect(codeOf(() => verifyAbsent(empty.verified, says, other))).toBe('PROOF_INVALID')
  })

  it('are verified with the original salt, even if the caller overwrites the salt later', async () => {
    const salt = new Uint8Array(32).fill(7)
    const { message, list, keyring } = await sealed(payloadsOf(9), { salt })
    const given = new Uint8Array(salt)
    const read = openKeyList(concat(...list.pieces()), { salt: given })
    const verified = await verifySet(message, { keyring, salt: given })
    given.fill(0)
    verifyMember(verified, proveMember(list, utf8('payload 1')), utf8('payload 1'))
    expect((await read).has(utf8('payload 1'))).toBe(true)
  })

  // claim: sets-8
  it('show as absent only payloads whose keys lie between the keys in the proof', async () => {
    const keys = ['10', '20', '30', '40'].map((byte) => byte.repeat(32))
    const { list, verified } = await sealed(keys)
    const verdictsOn = (proved: string) =>
      ['05', '15', '20', '25', '30', '35', '45'].map((byte) => {
        const verdict = codeOf(() =>
          verifyAbsent(verified, proveAbsent(list, proved.repeat(32)), byte.repeat(32)),
        )
        return verdict === 'it returned' ? byte : verdict
      })
    const no = 'PROOF_INVALID'
    expect(verdictsOn('05')).toEqual(['05', no, no, no, no, no, no])
    expect(verdictsOn('25')).toEqual([no, no, no, '25', no, no, no])
    expect(verdictsOn('45')).toEqual([no, no, no, no, no, no, '45'])
  })

  it('are malformed if they are not in canonical form', async () => {
    const { list, verified } = await sealed(payloadsOf(21))
    const text = textOf(proveMember(list, utf8('payload 1')))
    const spellings = [
      ` ${text}`,
      text.replace('"index":', '"index": '),
      text.replace('member', 'Member'),
      text.replace('=="', '"'),
      text.replace(/"path":"[^"]*/, '"path":"AAAA'),
      text.replace('"path"', '"more":1,"path"'),
      text.replace('SetProof/1', 'SetProof/2'),
      text.replace(/"index":\d+/, '"index":-1'),
      text.replace(/"index":\d+/, '"index":0.5'),
    ]
    for (const spelling of spellings) {
      const verdict = codeOf(() => verifyMember(verified, utf8(spelling), utf8('payload 1')))
      expect(verdict, spelling).toBe('MESSAGE_MALFORMED')
    }
  })

  // claim: sets-12
  it('show a present payload as absent if the signer sorted the list wrongly and the reader lacks the list', async () => {
    const { verifyingKey, signingKey, keyring } = await sealed([])
    const keys = payloadsOf(4)
      .map((one) => keyOf(one))
      .sort()
    const [first, second, third, fourth] = keys.map((one) => fromHex(one)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    // The second key is at the end, outside of its sorted position.
    const leaves = [first, third, fourth, second]
    const root = toHex(rootOver(leaves))
    const message = signedSet(signingKey, verifyingKey, { rows: 4, size: 4, root })
    const set = await verifySet(message, { keyring })
    const content = { says: 'absent', root, index: 0, entries: [toHex(first), toHex(third)] }
    const path = base64(rootOver([fourth, second]))
    const proof = utf8(JSON.stringify({ messageType: 'alvarium.SetProof/1', content: { ...content, path } }))
    expect(verifyAbsent(set, proof, keys[1] ?? '')).toEqual({ sorted: 'claimed' })
    await expect(openKeyList(leaves)).rejects.toMatchObject({ code: 'MESSAGE_MALFORMED' })
    const sorted = await openKeyList([first, second, third, fourth])
    await expect(verifySet(message, { keyring, list: sorted })).rejects.toMatchObject({
      code: 'PROOF_INVALID',
    })
  })

  it("are refused if the set's message states a false size, even if the message is signed", async () => {
    const { verifyingKey, signingKey, keyring, list, set } = await sealed(payloadsOf(21))
    const proof = proveMember(list, utf8('payload 1'))
    for (const size of [1, 2, 16, 33, 42, 2 ** 40]) {
      const lying = await verifySet(
        signedSet(signingKey, verifyingKey, { rows: 2 ** 40, size, root: set.root }),
        { keyring },
      )
      expect(
        codeOf(() => verifyMember(lying, proof, utf8('payload 1'))),
        `${size}`,
      ).toBe('PROOF_INVALID')
    }
  })

  // claim: sets-7
  it('verify only for their own payload', async () => {
    const { list, verified } = await sealed(payloadsOf(9))
    const proof = proveMember(list, utf8('payload 1'))
    expect(codeOf(() => verifyMember(verified, proof, utf8('payload 2')))).toBe('PROOF_INVALID')
    expect(() => verifyMember(verified, proof, 7 as unknown as string)).toThrow(TypeError)
    expect(codeOf(() => verifyMember(verified, proof, 'payload 1'))).toBe('CONFIG_INVALID')
  })
})

// claim: sets-11
it('a set that is given each payload twice counts all in `rows`, and distinct ones in `size`', async () => {
  const { set, list } = await sealed([...payloadsOf(30), ...payloadsOf(30)])
  expect([set.rows, set.size, list.size]).toEqual([60, 30, 30])
  expect((await sealSet([], { signingKey: (await sealed([])).signingKey })).set.rows).toBe(0)
})
