import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AlvariumError, LONGEST_FAULT, textOf } from '../base/errors.js'
import { printable, shownPath } from '../base/text/text.js'
import { readText } from './file.js'
import { cargoLock } from './locks/cargo.js'
import { goMod } from './locks/go.js'
import { mavenPom } from './locks/maven.js'
import { declaredIn, npmLock } from './locks/npm.js'
import { otherLocks } from './locks/others.js'
import {
  isAddress,
  type Locked,
  type LockReader,
  type Package,
  type PackageName,
  type Unasked,
  unlocked,
} from './locks/package.js'
import { pnpmLock } from './locks/pnpm.js'
import { yarnLock } from './locks/yarn.js'

const READERS: Readonly<Record<string, LockReader>> = {
  'package-lock.json': npmLock,
  'npm-shrinkwrap.json': npmLock,
  'pnpm-lock.yaml': pnpmLock,
  'yarn.lock': yarnLock,
  'go.mod': goMod,
  'pom.xml': mavenPom,
  'Cargo.lock': cargoLock,
}

/** `JSON.parse` takes them in a second. The parsers of the other formats take up to 200 times as many bytes of memory. */
const LONGEST_JSON = 64 * 1024 * 1024
const LONGEST = 8 * 1024 * 1024

/** What a project is made of, as far as the lock files in its folder say. */
interface Build {
  /** As often as they are there, since what is optional, or the project's own, in one place need not be so in another. */
  readonly packages: readonly Package[]
  /** What they do not say enough about. */
  readonly gaps: readonly Unasked[]
}

/**
 * The packages that a project is made of, by all the lock files in its folder, and its own as far as these have them.
 *
 * @throws Error when there is none, or one cannot be read
 */
export async function readBuild(folder: string): Promise<Build> {
  const read = await Promise.all(
    Object.entries(READERS).map(async ([file, reader]) => ({
      file,
      locked: await lockedIn(folder, file, reader),
    })),
  )
  const found = read.flatMap(({ file, locked }) => (locked ? [{ file, ...locked }] : []))
  if (found.length === 0) {
    throw new Error(`${shownPath(folder)}: expected one of ${Object.keys(READERS).join(', ')}, got none`)
  }
  return {
    packages: found.flatMap(({ packages }) => packages),
    gaps: [...found.flatMap(gapsOf), ...(await undeclared(folder, found)), ...(await unread(folder))],
  }
}

function gapsOf({ file, packages, gaps = [] }: Locked & { readonly file: string }): Unasked[] {
  const elsewhere = packages.filter(({ isElsewhere, isOwn, version }) => {
    return isElsewhere || (!isOwn && isAddress(version))
  })
  const ofSources = elsewhere.map(({ name, version }) => ({
    reason: 'source' as const,
    what: `${name} ${withoutUser(version)}`,
  }))
  return [...gaps, ...ofSources].map((gap) => ({ ...gap, file }))
}

/** What package.json has, and none of the lock files of npm, pnpm and Yarn: they are older, or another project's. */
async function undeclared(
  folder: string,
  found: readonly (Locked & { readonly file: string })[],
): Promise<Unasked[]> {
  const locks = found.filter(({ file }) => OF_PACKAGE_JSON.includes(file))
  const [first] = locks
  const declared = first && (await lockedIn(folder, 'package.json', declaredIn))
  if (!declared) return []
  const names = new Set(
    locks.flatMap(({ packages, ownNames = [] }) => [...packages.map(({ name }) => name), ...ownNames]),
  )
  // What the lock file itself declares is told already.
  const told = new Set(locks.flatMap(({ gaps = [] }) => gaps.map(({ what }) => what)))
  return unlocked(
    'the project',
    declared.filter((name) => !names.has(name)),
  )
    .filter(({ what }) => !told.has(what))
    .map((gap) => ({ ...gap, file: first.file }))
}

const OF_PACKAGE_JSON = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock']

/** Addresses may bring a password. */
const withoutUser = (version: string) => version.replace(/\/\/[^/]*@/, '//')

async function unread(folder: string): Promise<Unasked[]> {
  const names = otherLocks(await readdir(folder))
  return names.map((file) => ({ reason: 'lock-file', what: 'all that it lists', file }))
}

async function lockedIn<T>(folder: string, name: string, read: (text: string) => T | Promise<T>) {
  const path = join(folder, name)
  const text = await readText(path, name.endsWith('.json') ? LONGEST_JSON : LONGEST).catch(absent)
  if (text === undefined) return undefined
  try {
    return await read(text)
  } catch (cause) {
    // It says what to install.
    if (cause instanceof AlvariumError) throw cause
    throw new Error(`${path}: ${printable(textOf(cause).slice(0, LONGEST_FAULT))}`, { cause })
  }
}

function absent(error: unknown): undefined {
  if ((error as { code?: string }).code !== 'ENOENT') throw error
}

/** Each once. */
export function unique(packages: readonly Package[]): Package[] {
  return [...new Map(packages.map((one) => [keyOf(one), one])).values()]
}

/** What tells packages apart. */
export function keyOf({ ecosystem, name, version }: PackageName): string {
  return `${ecosystem} ${name} ${version}`
}
