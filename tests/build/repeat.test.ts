import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFailed, onTestFinished, vi } from 'vitest'
import { failedTests, repeat, table } from '../running/repeat.mjs'

const load = new URL('../running/load.mjs', import.meta.url)
const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

describe('a repeated test step', () => {
  it('runs the given number of times, and counts each failed round', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const write = vi.spyOn(process.stdout, 'write').mockImplementation(() => true)
    onTestFinished(() => void [log, write].map((spy) => spy.mockRestore()))
    const rounds = { times: 2, isBusy: true, names: ['lint'] }
    expect(await repeat({ ...rounds, extra: ['--no-such-option'] })).toBe(false)
    expect(log.mock.calls.at(-1)?.[0]).toBe('\n── rounds: 2, failed: 2 ──\n times   what\n     2   lint')
    expect(await repeat({ ...rounds, extra: ['--help'], times: 1 })).toBe(true)
    expect(log.mock.calls.at(-1)?.[0]).toBe('\n── rounds: 1, failed: 0 ──')
  })

  it('lists the tests that failed, and the files that failed outside of their tests', () => {
    const entry = (status: string, title: string) => ({ status, title, ancestorTitles: ['a call'] })
    const testResults = [
      {
        name: file('a.test.ts'),
        status: 'failed',
        assertionResults: [entry('passed', 'b'), entry('failed', 'c')],
      },
      { name: file('d.test.ts'), status: 'failed', assertionResults: [] },
      { name: file('e.test.ts'), status: 'passed', assertionResults: [entry('passed', 'f')] },
    ]
    expect(failedTests({ testResults })).toEqual(['a.test.ts > a call > c', 'd.test.ts'])
  })

  it('ends with a table whose first row is the most frequent failure', () => {
    const counts = new Map([
      ['node: a', 1],
      ['node: b', 12],
    ])
    expect(table({ rounds: 20, failed: 12 }, counts).split('\n').slice(2)).toEqual([
      ' times   what',
      '    12   node: b',
      '     1   node: a',
    ])
  })
})

it('the load process that keeps a core busy ends with its parent, even if the parent was killed', async () => {
  const program = `
    const other = require('node:child_process').fork(${JSON.stringify(fileURLToPath(load))})
    other.once('spawn', () => console.log(other.pid))`
  const parent = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(parent.stdout), 'line')
  onTestFailed(() => void process.kill(Number(line), 'SIGKILL'))
  parent.kill('SIGKILL')
  // The event comes when no process holds the other end of the pipe, including the busy one.
  await once(parent, 'close')
})
