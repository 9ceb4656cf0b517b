// Installs programs that only the tests need: Debian's Mosquitto, PostgreSQL, Chromium, Firefox, SoftHSM, shells and
// Python's cryptography, and the newest PostgreSQL of npm. Compiles the tests of the crate for the steps that run them.

import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compile as compileHarness } from '../../crate/ed25519x4/harness/build.mjs'
import { ensure, install } from '../../js/build/debian.mjs'
import { nativeCargo } from '../../js/build/toolchain.mjs'
import { ensurePostgres, NEWEST } from './postgres.mjs'
import { hasCryptography } from './python.mjs'
import { TESTED_PACKAGES } from './steps.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const NEWEST_PACKAGE = 'tests/store/newest'

/**
 * Installs missing programs.
 *
 * @param {(name: string, inputs: string[], stamp: string, build: () => Promise<void>) => Promise<void>} step
 * @param {(...args: string[]) => Promise<void>} npmInstall
 */
export async function installTools(step, npmInstall) {
  // 60 MB, with its own lock file.
  await step('the newest PostgreSQL', [NEWEST_PACKAGE], `${NEWEST}/.ready`, () => {
    cpSync(join(root, NEWEST_PACKAGE), join(root, NEWEST), { recursive: true })
    return npmInstall('--prefix', join(root, NEWEST))
  })
  ofDebian()
}

/** Compiles the tests of the crate that have changed: that takes longer than to run them. */
export function compileCrateTests() {
  const tests = ['test', '--no-run', '--quiet', '--locked', ...TESTED_PACKAGES]
  execFileSync(nativeCargo(), tests, { cwd: join(root, 'crate'), stdio: ['ignore', 2, 2] })
  compileHarness()
}

function ofDebian() {
  ensure(['mosquitto'], ['mosquitto'], 'The tests run against a real Mosquitto')
  ensure(['chromium'], ['chromium'], 'The tests run in Chromium')
  ensure(['firefox-esr', 'firefox'], ['firefox-esr'], 'The tests run in Firefox')
  ensure(['softhsm2-util'], ['softhsm2'], 'The tests sign with a module that speaks PKCS#11')
  ensure(['pkcs11-tool'], ['opensc'], 'The tests speak PKCS#11 with it')
  ensure(['zsh'], ['zsh'], 'The tests paste into it what the demo page gives')
  ensure(['fish'], ['fish'], 'The tests paste into it what the demo page gives')
  ensurePostgres()
  if (!hasCryptography()) install(['python3-cryptography'], 'The tests compare with a verifier in Python')
}
