import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OUTCOMES, VERDICT_WORDS, worstOf } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../examples/guide/build/pages.mjs'

const page = readFileSync(join(ROOT, 'crate/FORMAT.md'), 'utf8')
const [, section = ''] = page.split('\n## Words of verdicts\n')

/** Returns the cells of each row of a table, by the first words of its header. */
function rowsBehind(header: string): string[][] {
  const [, behind = ''] = section.split(`\n| ${header}`)
  const [table = ''] = behind.split('\n\n')
  const rows = table.split('\n').slice(2)
  return rows.map((row) => row.split('|').map((cell) => cell.trim().replaceAll('`', '')))
}

describe('the table of verdicts in FORMAT.md', () => {
  it('has the words that the code uses, with the same outcomes', () => {
    const words = rowsBehind('word |').map(([, word, outcome]) => [word, outcome])
    expect(Object.fromEntries(words)).toEqual(VERDICT_WORDS)
  })

  it('states for each word the needed evidence, whose trust counts, and what the word does not mean', () => {
    for (const [, word, , ...cells] of rowsBehind('word |')) {
      expect(cells.slice(0, 3).filter(Boolean), word).toHaveLength(3)
    }
  })

  it('has for each outcome the mark, the colour and the exit code of the command', () => {
    const outcomes = rowsBehind('outcome |').map(([, outcome, mark, exitCode]) => [outcome, mark, exitCode])
    expect(outcomes).toEqual(
      Object.entries(OUTCOMES).map(([outcome, { mark, colour, exitCode }]) => [
        ...[outcome, `${mark} ${colour}`, String(exitCode)],
      ]),
    )
  })
})

describe('the outcome of several checks', () => {
  it('is "does not hold" if one check does not hold, whatever the others yield', () => {
    expect(worstOf(['holds', 'does not hold', 'cannot tell'])).toBe('does not hold')
  })

  it('is "cannot tell" if one check cannot tell, or if no check was made', () => {
    expect(worstOf(['holds', 'cannot tell'])).toBe('cannot tell')
    expect(worstOf([])).toBe('cannot tell')
  })

  it('is "holds" if each check holds', () => {
    expect(worstOf(['holds', 'holds'])).toBe('holds')
  })
})
