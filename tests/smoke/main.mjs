// Installs a packed tarball as a user does, in a new folder, and has it sign, verify, batch, pool, and publish to the
// trial broker:
//
//   node tests/smoke/main.mjs alvarium-sdk-0.1.0.tgz                          by its own name
//   node tests/smoke/main.mjs alvarium-sdk-0.1.0.tgz scoped/alvarium-sdk-0.1.0.tgz   by the scoped name (js/release/scoped.mjs)
//
// It needs only Node and npm, because .github/workflows/ci.yml runs it on each system without a compiler.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const isWindows = process.platform === 'win32'
/** Package of the trial broker, which is optional for an application. */
const BROKER = 'aedes@1'

/** Imports the package by its name and does the work of each row of the matrix (tests/matrix/job.mjs). */
const programOf = (name) => `
import * as sdk from ${JSON.stringify(name)}
import { pool } from ${JSON.stringify(`${name}/pool`)}
import { job } from './job.mjs'

const results = await job({ sdk, openPool: () => pool({ workers: 1 }), broker: process.argv[2] })
process.exitCode = Object.values(results).every((result) => result === 'ok') ? 0 : 1
`

const tarballs = process.argv.slice(2).map((path) => resolve(path))
if (tarballs.length === 0) throw new Error('smoke: expected the path of a tarball')
const folder = mkdtempSync(join(tmpdir(), 'alvarium-smoke-'))
try {
  process.exitCode = await smoke()
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

async function smoke() {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  npm('install', '--no-audit', '--no-fund', ...tarballs, BROKER)
  const installed = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  // Names are in alphabetical order: a scoped one comes first.
  const name = Object.keys(installed.dependencies).find((one) => one.includes('alvarium'))
  cpSync(new URL('../matrix/job.mjs', import.meta.url), join(folder, 'job.mjs'))
  writeFileSync(join(folder, 'main.mjs'), programOf(name))
  const main = join(folder, 'node_modules/alvarium-sdk/dist/cli/main.js')
  const broker = spawn(process.execPath, [main, 'broker', '--port', '0', '--tcp-port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = await once(createInterface(broker.stdout), 'line')
    const [url] = /ws:\S+/.exec(line) ?? []
    const job = spawn(process.execPath, ['main.mjs', url], { cwd: folder, stdio: 'inherit' })
    const [code] = await once(job, 'exit')
    console.log(
      `${name} on Node ${process.version}, ${process.platform} ${process.arch}: ${code === 0 ? 'ok' : 'failed'}`,
    )
    return code
  } finally {
    broker.kill()
  }
}

/** Runs npm, which is a script on Windows: only a shell finds it there. */
function npm(...args) {
  const given = isWindows ? args.map((one) => `"${one}"`) : args
  execFileSync('npm', given, { cwd: folder, stdio: 'inherit', shell: isWindows })
}
