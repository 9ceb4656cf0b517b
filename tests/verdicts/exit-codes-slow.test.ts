// @slow: each command of a store opens a database
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { exitCodes, PAGE, rowText } from '../../examples/guide/build/exit-codes.mjs'

it('the page of exit codes has those of stores and of bench, too', async () => {
  const page = readFileSync(PAGE, 'utf8')
  const rows = await exitCodes((name: string) => /^(store|bench)/.test(name))
  for (const [name, codes] of rows) expect(page).toContain(`${rowText(name, codes)}\n`)
})
