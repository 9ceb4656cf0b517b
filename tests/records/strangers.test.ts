// @node-only: it compares with csv-parse

import { expect, it } from 'vitest'
import { compareStrangers } from './strangers.mjs'

// More: node tests/records/strangers.mjs 10000 7
it('readRecords finds the same records in random files as csv-parse and JSON.parse, or refuses the file', async () => {
  const { same, refused, differences } = await compareStrangers(600, 45)
  expect(differences).toEqual([])
  expect([same > 300, refused > 50, same + refused]).toEqual([true, true, 600])
})
