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
    /** A folder with the projects beside this file, the package installed in it as a user has it. */
    packed: { folder: string; files: string[] }
  }
}

/** Vitest's global set-up: packs, installs and has Vite build once per run, for all tests of the package. */
export default async function setUp(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-packed-'))
  const files = await installPacked(folder)
  await cp(join(root, 'tests/packaging/projects'), folder, { recursive: true })
  await bundle(join(folder, 'bundled'))
  await buildPage(join(folder, 'vite'))
  await buildPage(join(folder, 'vite-wasm-file'), ['alvarium-wasm', ...defaultClientConditions])
  project.provide('packed', { folder, files })
  return () => rm(folder, { recursive: true, force: true })
}

/** Installs the package from its tarball, and says what is in that. */
async function installPacked(folder: string): Promise<string[]> {
  await run('npm', ['run', 'pack', '--', '--pack-destination', folder], { cwd: root })
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'packed', private: true }))
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`], {
    cwd: folder,
  })
  const { stdout } = await run('tar', ['tzf', join(folder, `${tarball}`)])
  return stdout.trim().split('\n')
}

/** Builds with Vite without configuration, as a user begins, or with import conditions alone. */
export async function buildPage(root: string, conditions?: string[]): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: { target: 'es2022' },
    ...(conditions && { resolve: { conditions } }),
  })
}

/** Runs a program and gives what it printed. */
export async function printed(program: string, args: string[], cwd: string): Promise<string> {
  const { stdout } = await run(program, args, { cwd })
  return stdout.trim()
}
