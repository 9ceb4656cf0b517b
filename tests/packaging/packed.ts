import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, defaultClientConditions } from 'vite'
import type { TestProject } from 'vitest/node'
import { bundle } from './bundles.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Three folders. The first has these projects, our packages and mqtt; `alone` has only alvarium-sdk, and `shell`
     * has alvarium-command.
     */
    packed: { folder: string; files: string[]; alone: string; shell: string }
  }
}

/** Packs, installs and builds with Vite once per run, for all tests of the package: Vitest's global set-up. */
export default async function setUp(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-packed-'))
  const { sdk, artifacts, command } = await packedIn(folder)
  const files = (await printed('tar', ['tzf', sdk], folder)).split('\n')
  await install(folder, sdk, artifacts, command, 'mqtt')
  const alone = await mkdtemp(join(tmpdir(), 'alvarium-alone-'))
  const shell = await mkdtemp(join(tmpdir(), 'alvarium-shell-'))
  await install(alone, sdk)
  await install(shell, command)
  await cp(join(root, 'tests/packaging/projects'), folder, { recursive: true })
  await bundle(join(folder, 'bundled'))
  await buildPage(join(folder, 'vite'))
  await buildPage(join(folder, 'vite-wasm-file'), ['alvarium-wasm', ...defaultClientConditions])
  project.provide('packed', { folder, files, alone, shell })
  return () => Promise.all([folder, alone, shell].map((made) => rm(made, { recursive: true, force: true })))
}

/** Packs the three packages, and returns the paths of their tarballs. */
async function packedIn(folder: string) {
  await run('npm', ['run', 'pack', '--', '--pack-destination', folder], { cwd: root })
  const names = await readdir(folder)
  const tarball = (part: string) =>
    join(folder, `${names.find((name) => name.startsWith(`alvarium-${part}-`))}`)
  return { sdk: tarball('sdk'), artifacts: tarball('artifacts'), command: tarball('command') }
}

/** Installs packages as a user does, in a folder without any. */
async function install(folder: string, ...packages: string[]): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'packed', private: true }))
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages], { cwd: folder })
}

/** Builds with Vite without configuration, as a new user does, or with import conditions only. */
export async function buildPage(root: string, conditions?: string[]): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: { target: 'es2022' },
    ...(conditions && { resolve: { conditions } }),
  })
}

export async function printed(program: string, args: string[], cwd: string): Promise<string> {
  const { stdout } = await run(program, args, { cwd })
  return stdout.trim()
}
