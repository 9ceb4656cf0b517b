// @slow: it runs other verifiers; vectors.test.ts shows that format and verifier agree

import { expect, it } from 'vitest'
import { assertAgreement } from './agreement.js'
import { corpus } from './corpus.js'

const COUNT = 10_000

it(`the verifier in Python agrees with ours about ${COUNT} random messages, at least a third of them good`, async () => {
  const counts = await assertAgreement(await corpus(2, COUNT))
  expect(counts['verified']).toBeGreaterThan(COUNT / 3)
})
