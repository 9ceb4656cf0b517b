// @slow: it runs other verifiers; vectors.test.ts shows that format and verifier agree

import { expect, it } from 'vitest'
import { assertAgreement } from './agreement.js'
import { corpus } from './corpus.js'

/** `RANDOM_MESSAGES=10000 npm test -- slow tests/independent/random.test.ts` runs more. */
const COUNT = Number(process.env['RANDOM_MESSAGES'] ?? 2_000)

it(`the Python verifier agrees with the SDK on ${COUNT} random messages, at least a third of them valid`, async () => {
  const counts = await assertAgreement(await corpus(2, COUNT))
  expect(counts['verified']).toBeGreaterThan(COUNT / 3)
})
