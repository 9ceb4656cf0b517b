// Copies of the project in which faults are tried, one at a time: of the compiled package, and of the crate.

import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { bundleWorker } from '../../js/build/bundles.mjs'
import { nativeCargo } from '../../js/build/toolchain.mjs'
import { TESTED_PACKAGES } from '../running/steps.mjs'
import { faulty } from './faults.mjs'

/** @typedef {import('./faults.mjs').Fault} Fault */

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Patience of a test in milliseconds, for events that a fault prevents. */
const PATIENCE_MS = 60_000
/** Milliseconds in which workers must end their brokers and databases after a timeout. */
const GOODBYE_MS = 2_000
const WORKER = 'dist/sdk/pool/worker.js'

/** The compiled package, and its tests, which import it by its name. */
export class Package {
  #folder = mkdtempSync(join(tmpdir(), 'alvarium-meaning-'))

  constructor() {
    copy('.', this.#folder, ['node_modules', '.git', 'crate/target', 'bench/results'])
    linkPackages(this.#folder)
    // PostgreSQL does not run as root, and its user must find it here.
    chmodSync(this.#folder, 0o755)
  }

  /** Returns whether tests pass in the copy. @param {readonly string[]} tests @param {number} [timeout] in ms */
  passes(tests, timeout) {
    const args = ['run', '--config', 'tests/mutants/vitest.config.ts', '--bail', '1']
    const env = { MUTANTS_TESTS: JSON.stringify(tests), MUTANTS_PATIENCE_MS: String(PATIENCE_MS) }
    const all = ['node_modules/vitest/vitest.mjs', ...args]
    return succeeds(process.execPath, all, { cwd: this.#folder, env, timeout })
  }

  /** Returns whether the tests of a fault notice it. @param {Fault} fault @param {number} longestMs after which tests count as hanging */
  async notices(fault, longestMs) {
    const source = faulty(fault)
    const file = source.file.replace(/^js\/(.*)\.ts$/, 'dist/$1.js')
    try {
      this.#write(file, compiled(source.text))
      if (fault.isInWorker) await this.#bundle(file)
      return !(await this.passes(fault.tests, longestMs))
    } finally {
      for (const one of [file, WORKER, 'dist/sdk/pool/worker-source.js']) {
        cpSync(join(root, one), join(this.#folder, one))
      }
    }
  }

  /** Writes the one file that a worker runs. @param {string} changed */
  async #bundle(changed) {
    if (changed !== WORKER)
      this.#write(WORKER, compiled(readFileSync(join(root, 'js/sdk/pool/worker.ts'), 'utf8')))
    this.#write(`${WORKER}.map`, '')
    await bundleWorker(this.#folder)
  }

  #write(/** @type {string} */ file, /** @type {string} */ text) {
    writeFileSync(join(this.#folder, file), text)
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** The crate, compiled for this machine. Its folder is always the same, so cargo reuses what it has compiled. */
export class Crate {
  #folder = join(root, 'node_modules/.cache/meaning')

  constructor() {
    this.remove()
    copy('crate', join(this.#folder, 'crate'), ['crate/target'])
    copy('tests/vectors', join(this.#folder, 'tests/vectors'), [])
  }

  /** Returns whether tests pass in the copy. @param {readonly string[]} tests @param {number} [timeout] in ms */
  async passes(tests, timeout) {
    for (const target of tests.map(targetOf)) {
      // Compile separately, because compilation has no time limit.
      if (!(await this.#cargo([...target, '--no-run'])))
        throw new Error(`expected ${target.at(-1)} to compile`)
      if (!(await this.#cargo(target, timeout))) return false
    }
    return true
  }

  /** Returns whether the tests of a fault notice it. @param {Fault} fault @param {number} longestMs after which tests count as hanging */
  async notices(fault, longestMs) {
    const { file, text } = faulty(fault)
    const copied = join(this.#folder, file)
    try {
      writeFileSync(copied, text)
      return !(await this.passes(fault.tests, longestMs))
    } finally {
      // Write instead of copying: a copy keeps the old modification time, by which cargo decides what to compile.
      writeFileSync(copied, readFileSync(join(root, file)))
    }
  }

  /** @param {readonly string[]} args @param {number} [timeout] */
  #cargo(args, timeout) {
    const env = { CARGO_TARGET_DIR: join(root, 'crate/target'), PROPTEST_CASES: '32' }
    const all = ['test', '--quiet', '--locked', ...args]
    return succeeds(nativeCargo(), all, { cwd: join(this.#folder, 'crate'), env, timeout })
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Returns the arguments by which cargo knows the tests in a file; those of all packages for `crate`. @param {string} file */
function targetOf(file) {
  if (file === 'crate') return TESTED_PACKAGES
  const [, member, name] = /^crate\/(?:(\w+)\/)?(?:tests\/(\w+)\.rs|src\/.*)$/.exec(file) ?? []
  const own = member === undefined || member === 'src' ? 'alvarium-core' : member
  return ['--package', own, ...(name === undefined ? ['--lib'] : ['--test', name])]
}

/**
 * Compiles a module of TypeScript.
 *
 * @param {string} source
 * @throws an error when the fault is one of syntax
 */
function compiled(source) {
  const { outputText, diagnostics } = ts.transpileModule(source, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
    reportDiagnostics: true,
  })
  const [first] = diagnostics ?? []
  if (first) throw new Error(ts.flattenDiagnosticMessageText(first.messageText, '\n'))
  return outputText
}

/** Links the packages of npm into a copy. The links of our own workspaces are relative: they lead to those of the copy. @param {string} folder */
function linkPackages(folder) {
  const [from, to] = [root, folder].map((one) => join(one, 'node_modules'))
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const path = join(from, entry.name)
    symlinkSync(entry.isSymbolicLink() ? readlinkSync(path) : path, join(to, entry.name))
  }
}

/** @param {string} path @param {string} to @param {readonly string[]} without */
function copy(path, to, without) {
  const left = new Set(without.map((one) => join(root, one)))
  const filter = (/** @type {string} */ from) => !left.has(from)
  cpSync(join(root, path), to, { recursive: true, verbatimSymlinks: true, filter })
}

/**
 * Returns whether a command succeeds in time.
 *
 * @param {string} program @param {readonly string[]} args
 * @param {{ cwd: string, env: object, timeout?: number | undefined }} options
 * @returns {Promise<boolean>}
 */
function succeeds(program, args, { env, ...options }) {
  const all = { ...options, env: { ...process.env, ...env }, stdio: 'ignore', detached: true }
  const child = spawn(program, args, all)
  // Otherwise it would go on in a removed folder after an interrupt.
  const end = () => child.kill()
  process.once('exit', end)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', async (code) => {
      process.off('exit', end)
      if (child.killed) await setTimeout(GOODBYE_MS)
      endGroup(child)
      resolve(code === 0)
    })
  })
}

/** Ends a process group: a worker in an endless loop does not end with its parent process. */
function endGroup(/** @type {import('node:child_process').ChildProcess} */ { pid }) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error
  }
}
