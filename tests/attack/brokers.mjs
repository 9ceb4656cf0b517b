// The hostile brokers of tests/streams: each test is one of them, and what it may do to a subscriber.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Tally } from './tally.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TESTS = ['tests/streams/mqtt-hostile.test.ts', 'tests/streams/mqtt-memory.test.ts']

/** Their memory is bounded by the tests themselves, each above what there was at first. */
export async function brokers() {
  const tally = new Tally()
  const folder = mkdtempSync(join(tmpdir(), 'alvarium-attack-'))
  try {
    const file = join(folder, 'report.json')
    const status = await vitest(file)
    for (const { assertionResults } of JSON.parse(readFileSync(file, 'utf8')).testResults) {
      for (const one of assertionResults) judge(one, tally)
    }
    if (status !== 0 && tally.disagreements === 0) tally.crash(`vitest ended with ${status}`, TESTS)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return tally.report
}

function vitest(file) {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'node', '--project', 'slow', ...TESTS]
  const reporters = ['--reporter=json', `--outputFile=${file}`]
  const child = spawn(process.execPath, [...args, ...reporters], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise((resolve) => child.on('exit', resolve))
}

function judge({ status, ancestorTitles, fullName, failureMessages, duration }, tally) {
  tally.count(ancestorTitles[0])
  tally.verdicts++
  tally.slowest = Math.max(tally.slowest, duration ?? 0)
  if (status !== 'passed') tally.disagreement(`${fullName}: ${status}`, failureMessages)
}
