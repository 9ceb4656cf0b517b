// Makes a release, or shows it with --dry-run: builds, checks the tarballs, writes the new version into
// package.json, the code and CHANGELOG.md, commits and tags. The pushed tag starts
// .github/workflows/release.yml, which checks everything again and publishes.
//
//   npm run release -- --dry-run          checks, and shows the release; changes nothing
//   npm run release -- minor              major, minor, patch, or a version
//   npm run release -- --check            only checks, as the workflow does
//
// npx loads the release tools at fixed versions, because they would be a third of the installed packages.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { PACKAGES } from '../build/package/names.mjs'
import { pack } from '../build/package/pack.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const RELEASE_IT = ['release-it@20.2.1', '@release-it/keep-a-changelog@7.1.0', '@release-it/bumper@7.0.6']
const ATTW = ['@arethetypeswrong/cli@0.18.5']
/** Exports that are not modules to import: WebAssembly, and the worker's file. */
const NO_MODULES = ['algorithms.wasm', 'core.wasm', 'reference.wasm', 'pool/worker']
/** Options for a dry run on any branch, with uncommitted changes. */
const DRY = ['--dry-run', '--no-git.requireBranch', '--no-git.requireCleanWorkingDir']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false }, check: { type: 'boolean', default: false } },
})

try {
  if (!values.check && !values['dry-run']) assertAddress()
  await check()
  if (!values.check) release(positionals[0] ?? 'patch')
} catch (error) {
  console.error(`\n${error.message}`)
  process.exitCode = 1
}

async function check() {
  run('node', 'js/build/ready.mjs', '--package')
  run('node', 'tests/build/licences.mjs')
  npx(['knip@6.44.2'], 'knip', '--production', '--no-tag-hints')
  await checkPacked()
  run('node', 'tests/matrix/main.mjs', 'sizes')
}

/**
 * Checks that each tarball has every file that its package.json names, and that TypeScript finds the types
 * with each way of module resolution for ES modules.
 */
async function checkPacked() {
  const folder = mkdtempSync(join(tmpdir(), 'alvarium-release-'))
  try {
    for (const one of PACKAGES) {
      const tarball = pack(folder, one)
      npx(['publint@0.3.25'], 'publint', '--strict', tarball)
      npx(ATTW, 'attw', tarball, '--profile', 'esm-only', '--exclude-entrypoints', ...NO_MODULES)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @param {string} increment */
function release(increment) {
  const isDry = values['dry-run']
  npx(RELEASE_IT, 'release-it', increment, '--ci', ...(isDry ? DRY : []))
  // Run the same command as the workflow, but as a dry run, because only the workflow can make the
  // provenance.
  if (isDry)
    for (const { out } of PACKAGES)
      run('npm', 'publish', out, '--dry-run', '--provenance', '--access', 'public', '--loglevel', 'warn')
  else
    console.log(
      '\nPush with `git push --follow-tags`: the workflow publishes what is tagged, with its provenance.',
    )
}

/** Checks that package.json has the repository's address, which the published provenance states. */
function assertAddress() {
  const { repository } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
  if (!repository.url.includes('example.invalid')) return
  throw new Error(`repository: expected the package's own, got ${repository.url}: see CONTRIBUTING.md`)
}

function npx(packages, program, ...args) {
  run('npx', '--yes', ...packages.map((name) => `--package=${name}`), program, ...args)
}

function run(program, ...args) {
  console.log(`\n── ${[program, ...args].join(' ')} ──`)
  execFileSync(program, args, { cwd: root, stdio: 'inherit' })
}
