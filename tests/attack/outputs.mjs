// Runs each command with outputs that are slow, full, closed or end early. It may not crash, warn, hang, or report
// success.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Tally } from './tally.mjs'

const COMMAND = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Command lines, each with enough output to fail visibly. */
const LINES = [
  '--help',
  'keygen -o %.key -p %.pub',
  'key show private.key public.key',
  'annotate readings.csv -k private.key',
  'annotate readings.csv -k private.key --dialect go',
  'verify messages.ndjson -k public.key',
  'verify messages.ndjson -k public.key --json',
  'inspect message.json',
  'score messages.ndjson -k public.key',
  'lineage reading messages.ndjson -k public.key',
  'config check readings.csv',
  'completion bash',
]

/** States of standard output in the shell, and the exit codes allowed. */
const OUTPUTS = {
  slow: { end: '| (sleep 0.2; cat > /dev/null)', codes: [0, 1, 2] },
  full: { end: '> /dev/full', codes: [2], says: /ENOSPC/ },
  closed: { end: '>&-', codes: [0, 1, 2] },
  'ended early': { end: '| head -c 1 > /dev/null', codes: [0, 1, 2] },
  'full, and errors too': { end: '> /dev/full 2>&1', codes: [2] },
}

const INSIDES = /^ {4}at .+:\d+:\d+|Warning|undefined|FATAL|triggerUncaught/m

/** @param {{ count: number }} options - the number of pairs to run */
export async function outputs({ count }) {
  const tally = new Tally()
  const folder = mkdtempSync(join(tmpdir(), 'alvarium-outputs-'))
  try {
    await workshop(folder)
    const pairs = LINES.flatMap((line) => Object.keys(OUTPUTS).map((name) => ({ line, name })))
    const step = Math.max(1, Math.floor(pairs.length / count))
    for (const { line, name } of pairs.filter((_, at) => at % step === 0))
      await attack(folder, line, name, tally)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return tally.report
}

async function workshop(folder) {
  writeFileSync(join(folder, 'readings.csv'), `a,b\n${'1,2\n'.repeat(3_000)}`)
  writeFileSync(join(folder, 'reading'), '1,2')
  await ran(folder, 'keygen', '')
  await ran(folder, 'annotate readings.csv -k private.key -o messages.ndjson', '')
  const [first] = readFileSync(join(folder, 'messages.ndjson'), 'utf8').split('\n')
  writeFileSync(join(folder, 'message.json'), first)
}

async function attack(folder, line, name, tally) {
  const { end, codes, says } = OUTPUTS[name]
  const own = line.replaceAll('%', `${tally.inputs}`)
  const { code, err, took } = await ran(folder, own, end)
  tally.count(name)
  tally.verdicts++
  tally.slowest = Math.max(tally.slowest, took)
  const isTold = codes.includes(code) && !INSIDES.test(err) && (says === undefined || says.test(err))
  if (!isTold) tally.disagreement(`${own} ${end}: ended with ${code}`, err.slice(0, 1_000))
}

/** Runs a command and returns its own exit code, not that of the pipe's last command. */
async function ran(cwd, line, end) {
  const script = `set -o pipefail; "${process.execPath}" "${COMMAND}" ${line} ${end}; exit \${PIPESTATUS[0]}`
  const start = performance.now()
  const child = spawn('bash', ['-c', script], { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  let err = ''
  child.stderr.on('data', (piece) => {
    err += piece
  })
  const stop = new AbortController()
  const hung = sleep(60_000, 'hung', { signal: stop.signal }).catch(() => {})
  const ended = new Promise((resolve) => child.on('close', resolve))
  const code = await Promise.race([ended, hung])
  stop.abort()
  if (code === 'hung') child.kill('SIGKILL')
  return { code, err, took: performance.now() - start }
}
