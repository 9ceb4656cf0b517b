// @slow: it fills the core's memory
// @alone
// @node-only: the core's memory grows alike everywhere

import { generateKey } from 'alvarium-sdk'
import { pkiHttp, signRequest } from 'alvarium-sdk/http'
import { expect, it } from 'vitest'
import { answerOf } from '../support/answer.js'
import { coreMemory } from '../support/core-memory.js'

const MIB = 1024 * 1024
/** Enough keys to need twice the memory that a keyring may use, if each had a table. */
const SIGNERS = 300

it('the precomputed tables of keys that requests use share one memory limit', async () => {
  const pairs = Array.from({ length: SIGNERS }, (_, at) => [`key-${at}`, generateKey()] as const)
  const keys = Object.fromEntries(pairs.map(([name, { verifyingKey }]) => [name, verifyingKey]))
  const annotator = pkiHttp({ keys })
  const before = coreMemory().buffer.byteLength
  for (const [keyId, { signingKey }] of pairs) {
    const request = { method: 'GET', url: 'https://api.example/readings', headers: {} }
    const headers = await signRequest(request, { signingKey, keyId, components: ['@method', '@path'] })
    // After this many uses, a key has a table.
    for (let time = 0; time < 10; time++) {
      expect(await answerOf(annotator, { ...request, headers })).toBe(true)
    }
  }
  expect(coreMemory().buffer.byteLength - before).toBeLessThan(10 * MIB)
})
