import { join } from 'node:path'
import { AlvariumError, textOf } from '../base/errors.js'
import { readText } from './file.js'
import { cargoLock } from './locks/cargo.js'
import { goMod } from './locks/go.js'
import { mavenPom } from './locks/maven.js'
import { npmLock } from './locks/npm.js'
import type { LockReader, Package } from './locks/package.js'
import { pnpmLock } from './locks/pnpm.js'
import { yarnLock } from './locks/yarn.js'
import type { Named } from './purl.js'

const READERS: Readonly<Record<string, LockReader>> = {
  'package-lock.json': npmLock,
  'npm-shrinkwrap.json': npmLock,
  'pnpm-lock.yaml': pnpmLock,
  'yarn.lock': yarnLock,
  'go.mod': goMod,
  'pom.xml': mavenPom,
  'Cargo.lock': cargoLock,
}

const LONGEST = 64 * 1024 * 1024

/**
 * The packages that a project is made of, by all the lock files in its folder, and its own as far as these have them: as often
 * as they are there, since what is optional, or the project's own, in one place need not be so in another.
 *
 * @throws Error when there is none, or one cannot be read
 */
export async function packagesIn(folder: string): Promise<readonly Package[]> {
  const lists = await Promise.all(
    Object.entries(READERS).map(([name, read]) => packagesOf(folder, name, read)),
  )
  const found = lists.filter((list) => list !== undefined)
  if (found.length === 0) {
    throw new Error(`${folder}: expected one of ${Object.keys(READERS).join(', ')}, got none`)
  }
  return found.flat()
}

async function packagesOf(folder: string, name: string, read: LockReader) {
  const path = join(folder, name)
  try {
    return await read(await readText(path, LONGEST))
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ENOENT') return undefined
    // It says what to install.
    if (cause instanceof AlvariumError) throw cause
    throw new Error(`${path}: ${textOf(cause)}`, { cause })
  }
}

/** Each once. */
export function unique(packages: readonly Package[]): Package[] {
  return [...new Map(packages.map((one) => [keyOf(one), one])).values()]
}

/** What tells packages apart. */
export function keyOf({ ecosystem, name, version }: Named): string {
  return `${ecosystem} ${name} ${version}`
}
