import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { COLUMNS, ROWS } from '../../examples/guide/build/exit-codes/rows.mjs'
import { commandNames, openTrial, PAGE, rowText } from '../../examples/guide/build/exit-codes.mjs'

const page = readFileSync(PAGE, 'utf8')

/** Returns whether a command is quick. Stores take minutes, and `bench` some seconds: exit-codes-slow.test.ts has those. */
const isQuick = (name: string) => !/^(store|bench)/.test(name)

describe('the page of exit codes', () => {
  it('has a row for each command', () => {
    expect(Object.keys(ROWS).sort()).toEqual(commandNames().sort())
  })

  it('has the exit codes that the commands end with (node examples/guide/build/exit-codes.mjs writes them)', async () => {
    const trial = await openTrial()
    onTestFinished(() => trial.close())
    for (const name of Object.keys(ROWS).filter(isQuick))
      expect(page).toContain(`${rowText(name, await trial.codesOf(name))}\n`)
  })

  it('has no 0 in the columns of altered, unknown, unreadable and expired messages', () => {
    for (const column of ['altered', 'unknown signer', 'unreadable', 'expired']) {
      const place = COLUMNS.indexOf(column)
      for (const name of Object.keys(ROWS)) expect([name, column, codesIn(name)[place]]).not.toContain('0')
    }
  })

  it('has only exit code 2 for messages of a signer whose public key the reader lacks', () => {
    const place = COLUMNS.indexOf('unknown signer')
    expect(Object.keys(ROWS).filter((name) => !['2', '–'].includes(codesIn(name)[place] ?? ''))).toEqual([])
  })

  it('has only exit code 2 for messages that only the policy of their sender trusts', () => {
    const place = COLUMNS.indexOf('own policy only')
    expect(Object.keys(ROWS).filter((name) => !['2', '–'].includes(codesIn(name)[place] ?? ''))).toEqual([])
  })
})

function codesIn(name: string): string[] {
  const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? ''
  return row
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim())
}
