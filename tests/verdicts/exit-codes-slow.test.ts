// @slow: each command of a store opens a database
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { commandNames, openTrial, PAGE, rowText } from '../../examples/guide/build/exit-codes.mjs'

let trial: Awaited<ReturnType<typeof openTrial>>
beforeAll(async () => {
  trial = await openTrial()
})
afterAll(() => trial.close())

it.each(commandNames().filter((name) => /^(store|bench)/.test(name)))(
  'the page of exit codes has those of %s',
  async (name) => {
    expect(readFileSync(PAGE, 'utf8')).toContain(`${rowText(name, await trial.codesOf(name))}\n`)
  },
)
