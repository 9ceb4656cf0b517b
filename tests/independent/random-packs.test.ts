// @slow: it runs another verifier

import { keyIdOf, toHex } from 'alvarium-sdk'
import { verdictBytes, verifyPack } from 'alvarium-sdk/packs'
import { readTrust } from 'alvarium-sdk/trust'
import { expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { base64, textOf } from '../support/bytes.js'
import { packed } from '../support/packs.js'
import { PackParts } from '../support/random-packs.js'
import { verdictsOf } from './python.js'

/** Packs of each round, whose parts are made anew. `RANDOM_PACKS=20000` makes as many in all. */
const EACH = 100
const ROUNDS = Math.max(3, Math.ceil(Number(process.env['RANDOM_PACKS'] ?? 0) / EACH))

it(
  'random packs of genuine parts, in any order, doubled, left out and of other contexts, have the same verdict in both verifiers',
  async () => {
    const words = new Set<string>()
    for (let round = 0; round < ROUNDS; round++) {
      const random = new Random(round, 44)
      const parts = await PackParts.made(random)
      const keys = parts.trusted.map(({ verifyingKey }) => verifyingKey)
      const confirming = keys.map(keyIdOf).filter(() => random.below(4) > 0)
      const signers = keys.map((key) => ({ name: keyIdOf(key), keys: [toHex(key)] }))
      const trust = { signers: signers.map((one) => ({ ...one, confirms: confirming.includes(one.name) })) }
      const keyring = await readTrust(trust)
      const packs: Uint8Array[] = []
      for (let left = EACH; left > 0; left--) {
        const [messages, options] = parts.given()
        packs.push((await packed(messages, { ...options, trust })).bytes)
      }
      const asked = packs.map((pack) => ({ pack: base64(pack), confirming }))
      const python = await verdictsOf(asked, keys.map(toHex))
      for (const [at, pack] of packs.entries()) {
        const { verdict, isClaimed } = await verifyPack(pack, { keyring })
        const own = { pack: { verdict: textOf(verdictBytes(verdict)), isClaimed } }
        expect(own, `round ${round}, pack ${at}`).toEqual(python[at])
        words.add(verdict.whole.word)
      }
      await keyring.close()
    }
    expect([...words].sort()).toEqual([
      ...['each run whole by log', 'not shown', 'whole by log', 'whole by proofs', 'whole by seal'],
    ])
  },
  120_000 * ROUNDS,
)
