import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { faulty, readFaults } from '../mutants/faults.mjs'
import { tried } from '../mutants/trying.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const faults = readFaults()
/** Their modules say what there is, and do nothing. */
const WITHOUT_FAULTS = ['build', 'entries', 'model']

describe('the faults of meaning', () => {
  it('are still of what the code says', () => {
    for (const fault of faults) expect(faulty(fault)).not.toBe('')
  })

  it('each have a sentence of their own, and tests that are there', () => {
    const sentences = faults.map(({ breaks }) => breaks)
    expect(sentences.filter((one, at) => sentences.indexOf(one) !== at)).toEqual([])
    expect(sentences.filter((one) => !/^[^a-z].* .*\.$|^[a-z]\w+(?:\(\))? .*\.$/.test(one))).toEqual([])
    const tests = new Set(faults.flatMap(({ tests }) => tests))
    expect([...tests].filter((test) => !existsSync(join(root, test)))).toEqual([])
  })

  it('are 80 or more, over all rooms and the crate', () => {
    expect(faults.length).toBeGreaterThanOrEqual(80)
    const rooms = readdirSync(join(root, 'js'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )
    const expected = rooms
      .map(({ name }) => `js/${name}`)
      .filter((name) => !WITHOUT_FAULTS.includes(name.slice(3)))
    const files = faults.map(({ file }) => file)
    const missing = [...expected, 'crate/src'].filter(
      (room) => !files.some((file) => file.startsWith(`${room}/`)),
    )
    expect(missing).toEqual([])
  })

  it('that are not found any more are named', () => {
    const [fault] = faults
    if (!fault) throw new Error('expected a fault')
    const rotten = { ...fault, from: 'what was there once' }
    expect(() => faulty(rotten)).toThrow(
      `tests/mutants/meaning/${fault.room}.yaml, "${fault.breaks}": expected its text once in ${fault.file}, got it 0 times`,
    )
  })

  it('are not tried, and never count as noticed, while a test of theirs fails without them', async () => {
    const [fault] = faults
    if (!fault) throw new Error('expected a fault')
    const [good, bad] = ['tests/good.test.ts', 'tests/bad.test.ts']
    const asked: string[] = []
    const sandbox = {
      async passes(tests: readonly string[]) {
        asked.push(...tests)
        return !tests.includes(bad)
      },
      notices: async (_: unknown, longestMs: number) => longestMs >= 120_000,
    }
    const held = { ...fault, tests: [good] }
    const lost = { ...fault, tests: [good, bad] }
    expect(await tried(sandbox, held)).toEqual({ fault: held, outcome: 'noticed', failing: [] })
    expect(await tried(sandbox, lost)).toEqual({ fault: lost, outcome: 'untried', failing: [bad] })
    expect(await tried({ ...sandbox, notices: async () => false }, held)).toMatchObject({
      outcome: 'survived',
    })
    expect(asked, 'each is run once without a fault').toEqual([good, bad])
  })
})
