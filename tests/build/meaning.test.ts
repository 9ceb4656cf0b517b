import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Fault, faulty, readFaults } from '../mutants/faults.mjs'
import { exactMatches, plain } from '../mutants/text.mjs'
import { tried } from '../mutants/trying.mjs'
import { readTypeScript } from '../mutants/typescript.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const faults = readFaults()
/** Rooms whose modules declare names but have no behaviour. */
const WITHOUT_FAULTS = ['build', 'entries', 'model', 'packages', 'release']

/** A fault that the tests below vary. */
const fault: Fault = {
  room: 'base',
  in: 'ignoreRejection',
  find: 'Promise.resolve(value).catch(() => {})',
  replace: 'void value',
  breaks: 'A rejection of somebody’s own code that nobody waits for ends the process.',
  tests: ['tests/plug-ins/calls.test.ts'],
  isInWorker: false,
}
const entry = `base.yaml, "${fault.breaks}"`

function errorOf(one: Fault): string[] {
  try {
    faulty(one)
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

describe('the fault definitions in tests/mutants/meaning', () => {
  it('replace a text that occurs exactly once in the named function', () => {
    expect(faults.flatMap(errorOf)).toEqual([])
  })

  it('each say in a sentence of their own what the fault breaks, and name existing test files', () => {
    const sentences = faults.map(({ breaks }) => breaks)
    expect(sentences.filter((one, at) => sentences.indexOf(one) !== at)).toEqual([])
    expect(sentences.filter((one) => !/^[^a-z].* .*\.$|^[a-z]\w+(?:\(\))? .*\.$/.test(one))).toEqual([])
    const tests = new Set(faults.flatMap(({ tests }) => tests))
    expect([...tests].filter((test) => !existsSync(join(root, test)))).toEqual([])
  })

  it('are at least 80, and cover every folder of js/ and the crate', () => {
    expect(faults.length).toBeGreaterThanOrEqual(80)
    const rooms = readdirSync(join(root, 'js'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )
    const expected = rooms
      .map(({ name }) => `js/${name}`)
      .filter((name) => !WITHOUT_FAULTS.includes(name.slice(3)))
    const files = faults.map((fault) => faulty(fault).file)
    const missing = [...expected, 'crate/src'].filter(
      (room) => !files.some((file) => file.startsWith(`${room}/`)),
    )
    expect(missing).toEqual([])
  })

  it('cause an error that lists similar function names if the file has no function of the given name', () => {
    const [message] = errorOf({ ...fault, in: 'ignoreRejections' })
    const text = `${entry}: expected a function ignoreRejections, got none; the nearest are ignoreRejection (js/foundation/base/time/promises.ts), `
    expect(message?.slice(0, text.length)).toBe(text)
    expect(message).not.toContain('\n')
  })

  it('cause an error that names the function and its file if the function does not contain the text to replace', () => {
    expect(errorOf({ ...fault, find: 'what.was(there, once)' })).toEqual([
      `${entry}: expected its text in ignoreRejection (js/foundation/base/time/promises.ts), got none: what.was(there, once) — copy what the function has now into "find", the smallest expression that is there once`,
    ])
  })

  it('cause an error that lists all places if the function contains the text to replace more than once', () => {
    const [message] = errorOf({ ...fault, in: 'constructor', find: 'super(' })
    expect(message).toContain('expected its text once in constructor, got it in')
  })

  it('apply regardless of the formatting and the comments of the source', () => {
    const source = "run( // a comment\n  one, // 'another'\n  `//` /* a third */,\n)"
    const within = plain(readTypeScript(source).bare)
    expect(exactMatches(within, 'run(one, `//`)')).toMatchObject([{ start: 0, end: source.length }])
    expect(exactMatches(within, 'ne, `//`')).toEqual([])
  })

  it('apply to code in which a variable was renamed, and use the new name', () => {
    const { text } = faulty({ ...fault, find: 'Promise.resolve(given).catch(', replace: 'given?.catch(' })
    expect(text).toContain('value?.catch(')
  })

  it('have the outcome "untried", and not "noticed", if one of their tests also fails without the fault', async () => {
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
