import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MAX_FAULT_LENGTH, textOf } from '../../foundation/base/errors.js'
import { ifPresent } from '../../foundation/base/if-present.js'
import { printable, shownPath } from '../../foundation/base/text/text.js'
import { isFolder, readText } from './file.js'
import { goMod } from './locks/go.js'
import { mavenPom } from './locks/maven.js'
import { declaredIn, npmLock } from './locks/npm.js'
import {
  isAskable,
  type LockContents,
  type LockReader,
  type Package,
  type PackageName,
  type UncheckedPart,
  unlockedGaps,
} from './locks/package.js'

const READERS: Readonly<Record<string, LockReader>> = {
  'package-lock.json': npmLock,
  'npm-shrinkwrap.json': npmLock,
  'go.mod': goMod,
  'pom.xml': mavenPom,
}

/**
 * Maximum lengths of JSON files and of other files, in bytes. `JSON.parse` takes a second for a JSON file of
 * the maximum length. The XML parser needs up to 200 bytes of memory for each byte of the file.
 */
const MAX_JSON_BYTES = 64 * 1024 * 1024
const MAX_TEXT_BYTES = 8 * 1024 * 1024
/** Advice for unsupported lock files. Their formats change every year, and only their own tools can read them. */
const MAKE_SBOM = 'make an SBOM (syft dir:. -o cyclonedx-json=bom.json), and pass it in place of the folder'

export interface Project {
  /**
   * Packages, with duplicates, because one lock file may mark a package as optional, or as the project's
   * own, while another does not.
   */
  readonly packages: readonly Package[]
  readonly gaps: readonly UncheckedPart[]
}

/**
 * Reads the packages of a project from all lock files in its folder. The project's own package is included if a lock
 * file has it.
 *
 * @throws Error if there are no lock files, or one cannot be read
 */
export async function readProject(folder: string): Promise<Project> {
  await assertFolder(folder)
  const read = await Promise.all(
    Object.entries(READERS).map(async ([file, reader]) => ({
      file,
      locked: await readIfPresent(folder, file, reader),
    })),
  )
  const found = read.flatMap(({ file, locked }) => (locked ? [{ file, ...locked }] : []))
  const others = unreadLocks(await readdir(folder))
  if (found.length === 0) throw new Error(noLocks(folder, others))
  return {
    packages: found.flatMap(({ packages }) => packages),
    gaps: [
      ...found.flatMap(gapsOf),
      ...(await findUnlocked(folder, found)),
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

function gapsOf({ file, packages, gaps = [] }: LockContents & { readonly file: string }): UncheckedPart[] {
  const elsewhere = packages.filter((one) => one.isFromOtherSource || (!one.isOwn && !isAskable(one)))
  const ofSources = elsewhere.map(({ name, version }) => ({
    reason: 'source' as const,
    what: `${name} ${withoutUser(version) || 'without a version'}`,
  }))
  return [...gaps, ...ofSources].map((gap) => ({ ...gap, file }))
}

/**
 * Lists packages that package.json declares, but no npm lock file has, for example because the lock file is
 * outdated.
 */
async function findUnlocked(
  folder: string,
  found: readonly (LockContents & { readonly file: string })[],
): Promise<UncheckedPart[]> {
  const locks = found.filter(({ file }) => OF_PACKAGE_JSON.includes(file))
  const [first] = locks
  const declared = first && (await readIfPresent(folder, 'package.json', declaredIn))
  if (!declared) return []
  const names = new Set(locks.flatMap(({ packages }) => packages.map(({ name }) => name)))
  // Omit packages that the readers of the lock files have already reported as unchecked.
  const reported = new Set(locks.flatMap(({ gaps = [] }) => gaps.map(({ what }) => what)))
  return unlockedGaps(
    'the project',
    declared.filter((name) => !names.has(name)),
  )
    .filter(({ what }) => !reported.has(what))
    .map((gap) => ({ ...gap, file: first.file }))
}

const OF_PACKAGE_JSON = ['package-lock.json', 'npm-shrinkwrap.json']

const withoutUser = (version: string) => version.replace(/\/\/[^/]*@/, '//')

async function readIfPresent<T>(folder: string, name: string, read: (text: string) => T | Promise<T>) {
  const path = join(folder, name)
  const maxBytes = name.endsWith('.json') ? MAX_JSON_BYTES : MAX_TEXT_BYTES
  const text = await ifPresent(readText(path, maxBytes))
  if (text === undefined) return undefined
  try {
    return await read(text)
  } catch (cause) {
    throw new Error(`${path}: ${printable(textOf(cause).slice(0, MAX_FAULT_LENGTH))}`, { cause })
  }
}

export function uniquePackages<P extends PackageName>(packages: readonly P[]): P[] {
  return [...new Map(packages.map((one) => [packageKey(one), one])).values()]
}

export function packageKey({ ecosystem, name, version }: PackageName): string {
  return `${ecosystem} ${name} ${version}`
}

/** Names of lock files and package lists that this code cannot read. Each of these files is reported as unchecked. */
const UNREAD_FILES: ReadonlySet<string> = new Set(
  [
    'pnpm-lock.yaml yarn.lock bun.lock bun.lockb deno.lock', // JavaScript
    'Cargo.lock', // Rust
    'go.work glide.lock Gopkg.lock', // Go
    'gradle.lockfile buildscript-gradle.lockfile build.gradle build.gradle.kts build.sbt deps.edn', // JVM
    'requirements.txt Pipfile.lock poetry.lock pdm.lock uv.lock pylock.toml conda-lock.yml', // Python
    'Gemfile.lock gems.locked', // Ruby
    'composer.lock', // PHP
    'packages.lock.json packages.config paket.lock', // .NET
    'pubspec.lock', // Dart
    'Package.resolved Podfile.lock Cartfile.resolved', // Swift
    'mix.lock rebar.lock', // Erlang
    'stack.yaml.lock cabal.project.freeze', // Haskell
    'conan.lock vcpkg.json', // C and C++
    'renv.lock', // R
    'Manifest.toml', // Julia
    'cpanfile.snapshot shard.lock', // Perl, Crystal
  ].flatMap((names) => names.split(' ')),
)

function unreadLocks(names: readonly string[]): string[] {
  return names.filter((name) => UNREAD_FILES.has(name)).sort()
}
