// Times the steps of a new user: installs the tarball, makes a key, annotates, verifies, alters a byte, verifies again.
//
//   node tests/cli/newcomer.mjs

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The path after npm's installation. npx could take a package from the registry instead. */
const ALVARIUM = 'node_modules/.bin/alvarium'
const folder = mkdtempSync(join(tmpdir(), 'alvarium-newcomer-'))
try {
  step(0, 'npm', 'run', 'pack', '--silent', '--prefix', root, '--', '--silent', '--pack-destination', folder)
  const since = performance.now()
  const tarball = readdirSync(folder).find((name) => name.startsWith('alvarium-command-'))
  step(0, 'npm', 'install', `./${tarball}`, '--no-audit', '--no-fund', '--silent')
  step(0, ALVARIUM, 'keygen')
  writeFileSync(join(folder, 'readings.csv'), 'celsius,place\n21.4,hall\n19.8,yard\n')
  step(0, ALVARIUM, 'annotate', 'readings.csv', '--key', 'private.key', '--out', 'messages.ndjson')
  step(0, ALVARIUM, 'verify', 'messages.ndjson', '--key', 'public.key')
  const messages = readFileSync(join(folder, 'messages.ndjson'), 'utf8')
  writeFileSync(
    join(folder, 'messages.ndjson'),
    messages.replace('"isSatisfied":true', '"isSatisfied":false'),
  )
  const said = step(1, ALVARIUM, 'verify', 'messages.ndjson', '--key', 'public.key')
  if (!said.includes('the answer of annotation 1 was altered'))
    throw new Error('what was altered is not told')
  console.log(`✓ ${((performance.now() - since) / 1000).toFixed(1)} s in all`)
} finally {
  rmSync(folder, { recursive: true })
}

/**
 * Runs a program, shows its output, and requires this exit code.
 *
 * @param {number} code @param {string} program @param {...string} args
 */
function step(code, program, ...args) {
  const began = performance.now()
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
  const line = [program, ...args].join(' ').replaceAll(folder, '.').replaceAll(root, 'alvarium-sdk')
  console.log(`$ ${line}  (${((performance.now() - began) / 1000).toFixed(1)} s)\n${stdout}`)
  if (status !== code) throw new Error(`${line}: expected to end with ${code}, got ${status}: ${stderr}`)
  return stdout
}
