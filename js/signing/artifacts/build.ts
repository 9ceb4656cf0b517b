import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AlvariumError, LONGEST_FAULT, textOf } from '../../foundation/base/errors.js'
import { printable, shownPath } from '../../foundation/base/text/text.js'
import { isFolder, readText } from './file.js'
import { goMod } from './locks/go.js'
import { mavenPom } from './locks/maven.js'
import { declaredIn, npmLock } from './locks/npm.js'
import { otherLocks } from './locks/others.js'
import {
  isAskable,
  type Locked,
  type LockReader,
  type Package,
  type PackageName,
  type Unasked,
  unlocked,
} from './locks/package.js'

const READERS: Readonly<Record<string, LockReader>> = {
  'package-lock.json': npmLock,
  'npm-shrinkwrap.json': npmLock,
  'go.mod': goMod,
  'pom.xml': mavenPom,
}

/**
 * Maximum bytes of JSON, which `JSON.parse` reads in a second, and of other files: the XML parser takes up to 200 times as many bytes of
 * memory.
 */
const LONGEST_JSON = 64 * 1024 * 1024
const LONGEST = 8 * 1024 * 1024
/** Advice for all other lock files. Their formats change every year, and only their own tools know them. */
export const MAKE_SBOM =
  'make an SBOM (syft dir:. -o cyclonedx-json=bom.json), and pass it in place of the folder'

/** Packages of a project, as far as its files name them. */
export interface Build {
  /** Packages with duplicates: one that is optional, or the project's own, in one place need not be so in another. */
  readonly packages: readonly Package[]
  /** Dependencies that the files do not describe well enough. */
  readonly gaps: readonly Unasked[]
}

/**
 * Reads the packages of a project from all lock files in its folder, including the project's own if these have them.
 *
 * @throws Error if there are no lock files, or one cannot be read
 */
export async function readBuild(folder: string): Promise<Build> {
  await assertFolder(folder)
  const read = await Promise.all(
    Object.entries(READERS).map(async ([file, reader]) => ({
      file,
      locked: await lockedIn(folder, file, reader),
    })),
  )
  const found = read.flatMap(({ file, locked }) => (locked ? [{ file, ...locked }] : []))
  const others = otherLocks(await readdir(folder))
  if (found.length === 0) throw new Error(noLocks(folder, others))
  return {
    packages: found.flatMap(({ packages }) => packages),
    gaps: [
      ...found.flatMap(gapsOf),
      ...(await undeclared(folder, found)),
      ...others.map((file) => ({ reason: 'lock-file' as const, what: 'all that it lists', file })),
    ],
  }
}

async function assertFolder(path: string): Promise<void> {
  if (await isFolder(path)) return
  throw new Error(`${shownPath(path)}: expected a folder with lock files, got a file: ${MAKE_SBOM}`)
}

function noLocks(folder: string, others: readonly string[]): string {
  const got = others.length === 0 ? 'none' : `only ${others.join(', ')}: ${MAKE_SBOM}`
  return `${shownPath(folder)}: expected one of ${Object.keys(READERS).join(', ')}, got ${got}`
}

function gapsOf({ file, packages, gaps = [] }: Locked & { readonly file: string }): Unasked[] {
  const elsewhere = packages.filter((one) => one.isElsewhere || (!one.isOwn && !isAskable(one)))
  const ofSources = elsewhere.map(({ name, version }) => ({
    reason: 'source' as const,
    what: `${name} ${withoutUser(version) || 'without a version'}`,
  }))
  return [...gaps, ...ofSources].map((gap) => ({ ...gap, file }))
}

/** Lists packages that package.json declares and no lock file of npm has: that file is older, or belongs to another project. */
async function undeclared(
  folder: string,
  found: readonly (Locked & { readonly file: string })[],
): Promise<Unasked[]> {
  const locks = found.filter(({ file }) => OF_PACKAGE_JSON.includes(file))
  const [first] = locks
  const declared = first && (await lockedIn(folder, 'package.json', declaredIn))
  if (!declared) return []
  const names = new Set(locks.flatMap(({ packages }) => packages.map(({ name }) => name)))
  // Omit the lock file's own declarations, which are reported already.
  const told = new Set(locks.flatMap(({ gaps = [] }) => gaps.map(({ what }) => what)))
  return unlocked(
    'the project',
    declared.filter((name) => !names.has(name)),
  )
    .filter(({ what }) => !told.has(what))
    .map((gap) => ({ ...gap, file: first.file }))
}

const OF_PACKAGE_JSON = ['package-lock.json', 'npm-shrinkwrap.json']

/** Removes user and password from an address. */
const withoutUser = (version: string) => version.replace(/\/\/[^/]*@/, '//')

async function lockedIn<T>(folder: string, name: string, read: (text: string) => T | Promise<T>) {
  const path = join(folder, name)
  const text = await readText(path, name.endsWith('.json') ? LONGEST_JSON : LONGEST).catch(absent)
  if (text === undefined) return undefined
  try {
    return await read(text)
  } catch (cause) {
    // The error names the package to install.
    if (cause instanceof AlvariumError) throw cause
    throw new Error(`${path}: ${printable(textOf(cause).slice(0, LONGEST_FAULT))}`, { cause })
  }
}

function absent(error: unknown): undefined {
  if ((error as { code?: string }).code !== 'ENOENT') throw error
}

/** Removes duplicates. */
export function unique<P extends PackageName>(packages: readonly P[]): P[] {
  return [...new Map(packages.map((one) => [keyOf(one), one])).values()]
}

/** Returns a text that identifies a package. */
export function keyOf({ ecosystem, name, version }: PackageName): string {
  return `${ecosystem} ${name} ${version}`
}
