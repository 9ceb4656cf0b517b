// Runs attacks that are written as tests, and reports their failures in the form of the other attacks.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Tally } from './tally.mjs'

/** Projects of vitest.config.ts that run in Node; each test file is in one of them. */
const PROJECTS = ['node', 'node-together', 'slow', 'measuring']

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * @param {readonly string[]} files
 * @param {{ env?: Record<string, string>, each?: number }} [options] - environment of the tests, and inputs per test
 */
export async function byTests(files, { env = {}, each = 1 } = {}) {
  const tally = new Tally()
  const folder = mkdtempSync(join(tmpdir(), 'alvarium-attack-'))
  try {
    const file = join(folder, 'report.json')
    const status = await vitest(files, file, env)
    for (const { assertionResults } of JSON.parse(readFileSync(file, 'utf8')).testResults) {
      for (const one of assertionResults) judge(one, each, tally)
    }
    if (status !== 0 && tally.disagreements === 0) tally.crash(`vitest ended with ${status}`, files)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return tally.report
}

function vitest(files, report, env) {
  const projects = PROJECTS.flatMap((name) => ['--project', name])
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...files]
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    // Without its own path, this report would replace that of the CI step when attacks repeat.
    env: { ...process.env, ...env, TEST_REPORT: report },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise((resolve) => child.on('exit', resolve))
}

function judge({ status, ancestorTitles, fullName, failureMessages, duration, meta }, each, tally) {
  tally.count(ancestorTitles[0] ?? fullName)
  tally.inputs += each - 1
  tally.verdicts++
  tally.slowest = Math.max(tally.slowest, duration ?? 0)
  for (const [what, times] of Object.entries(meta?.counts ?? {})) tally.outcomes(what, times)
  if (status !== 'passed') tally.disagreement(`${fullName}: ${status}`, failureMessages)
}
