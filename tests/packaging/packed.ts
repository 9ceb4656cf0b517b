import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** A folder with the projects of this test and the package installed from its tarball, as a user has it. */
export async function installPacked(): Promise<{ folder: string; files: string[]; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-packed-'))
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root })
  const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'packed', private: true }))
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`], {
    cwd: folder,
  })
  await cp(join(root, 'tests/packaging/projects'), folder, { recursive: true })
  const { stdout } = await run('tar', ['tzf', join(folder, `${tarball}`)])
  return {
    folder,
    files: stdout.trim().split('\n'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Runs a program and gives what it printed. */
export async function printed(program: string, args: string[], cwd: string): Promise<string> {
  const { stdout } = await run(program, args, { cwd })
  return stdout.trim()
}
