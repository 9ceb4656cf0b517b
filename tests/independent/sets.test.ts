// @slow: it runs other verifiers; vectors.test.ts shows that format and verifier agree

import { keyOf, toHex } from 'alvarium-sdk'
import {
  proveAbsent,
  proveMember,
  proveUpdate,
  sealSet,
  verifyAbsent,
  verifyMember,
  verifySet,
  verifyUpdate,
} from 'alvarium-sdk/sets'
import { expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { base64, fromHex, utf8 } from '../support/bytes.js'
import { payloadsOf, sealed } from '../support/sets.js'
import { goldenSets } from '../support/vectors.js'
import { type AskedSet, verdictsOf } from './python.js'

const { cases, publicKey } = goldenSets()
const SAYS = { member: verifyMember, absent: verifyAbsent }

/** Returns our answer to a question that Python gets. */
async function ours({ set, proof, says, key, salt, after, update }: AskedSet, keys: readonly string[]) {
  const keyring = keys.map(fromHex)
  const bytes = (given: string) => Buffer.from(given, 'base64')
  try {
    const verified = await verifySet(bytes(set), {
      keyring,
      ...(salt !== undefined && { salt: bytes(salt) }),
    })
    if (proof !== undefined && says) {
      SAYS[says](verified, bytes(proof), toHex(bytes(key ?? '')))
      return { set: says }
    }
    if (update !== undefined) {
      const later = await verifySet(bytes(after ?? ''), { keyring })
      const { added, removed } = await verifyUpdate(verified, later, { update: bytes(update) })
      return { set: { added, removed } }
    }
    const { sorted, ...said } = verified
    return { set: said }
  } catch (error) {
    return { code: (error as { code: string }).code }
  }
}

async function agree(asked: readonly AskedSet[], keys: readonly string[]) {
  const python = await verdictsOf(asked, keys)
  const own = await Promise.all(asked.map((one) => ours(one, keys)))
  expect(own).toEqual(python)
  return own.map((verdict) => ('code' in verdict ? verdict.code : 'verified'))
}

const keyBytes = (payload: string) => base64(fromHex(keyOf(utf8(payload))))

// claim: format-54
it('a Python implementation reads golden sets as the SDK does, and verifies their proofs', async () => {
  const asked = cases.flatMap(({ message, proofs, saltBytes }) => {
    const given = {
      set: base64(utf8(message)),
      ...(saltBytes !== undefined && { salt: base64(fromHex(saltBytes)) }),
    }
    const each = proofs.map(({ payload, says, proof }) => {
      return { ...given, says, key: keyBytes(payload), proof: base64(utf8(proof)) }
    })
    return [given, ...each]
  })
  expect(new Set(await agree(asked, [publicKey]))).toEqual(new Set(['verified']))
})

it("a Python implementation verifies the SDK's sets of every algorithm, their proofs and an update", async () => {
  const { generateKey } = await import('alvarium-sdk')
  for (const algorithm of [undefined, 'P-256', 'secp256k1', 'SM2'] as const) {
    const pair = await (algorithm ? generateKey({ algorithm }) : generateKey())
    const made = await sealSet(payloadsOf(50), { signingKey: pair.signingKey, name: 'ü "quoted"' })
    const later = await sealSet(payloadsOf(60).slice(5), { signingKey: pair.signingKey })
    const update = base64(await proveUpdate(made.list, later.list))
    const set = base64(made.message)
    const asked: AskedSet[] = [
      { set },
      {
        set,
        says: 'member',
        key: keyBytes('payload 7'),
        proof: base64(proveMember(made.list, utf8('payload 7'))),
      },
      {
        set,
        says: 'absent',
        key: keyBytes('nothing'),
        proof: base64(proveAbsent(made.list, utf8('nothing'))),
      },
      { set, after: base64(later.message), update },
    ]
    expect(await agree(asked, [toHex(pair.verifyingKey)])).toEqual(Array(4).fill('verified'))
  }
})

// claim: sets-19
it('a Python implementation and the SDK agree on hundreds of sets with altered characters', async () => {
  const random = new Random(29)
  const { message, list, keyring } = await sealed(payloadsOf(37))
  const later = await sealed(payloadsOf(39))
  const update = await proveUpdate(list, later.list)
  const characters = '0123456789abcdef-.{}[]":,AZ+/= \n'
  const altered = (bytes: Uint8Array) => {
    const text = Buffer.from(bytes).toString()
    const at = 30 + random.below(text.length - 30)
    const changed = `${text.slice(0, at)}${random.pick([...characters])}${text.slice(at + random.below(2))}`
    return base64(utf8(random.below(8) === 0 ? text : changed))
  }
  const set = base64(message)
  const asked = Array.from({ length: 600 }, (_, at): AskedSet => {
    const name = at % 2 === 0 ? `payload ${at % 37}` : `nothing ${at}`
    const says = at % 2 === 0 ? 'member' : 'absent'
    const prove = at % 2 === 0 ? proveMember : proveAbsent
    if (at % 3 === 0) return { set: altered(message) }
    if (at % 3 === 1) return { set, says, key: keyBytes(name), proof: altered(prove(list, utf8(name))) }
    return { set, after: base64(later.message), update: altered(update) }
  })
  const keys = [...keyring, ...later.keyring].map(toHex)
  const verdicts = new Set(await agree(asked, keys))
  for (const one of ['verified', 'MESSAGE_MALFORMED', 'SIGNATURE_INVALID', 'PROOF_INVALID'])
    expect(verdicts).toContain(one)
})
