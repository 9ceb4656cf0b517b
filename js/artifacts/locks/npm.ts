import {
  isArchive,
  type Locked,
  type LockGap,
  type LockReader,
  type Members,
  members,
  type Package,
  text,
  unlocked,
} from './package.js'

const FOLDER = 'node_modules/'
/** As long as file systems take them. */
const LONGEST_PATH = 4096

/** package-lock.json and npm-shrinkwrap.json, of npm 7 and later (`packages`) and of those before (`dependencies`). */
export const npmLock: LockReader = (json) => {
  const lock = members(JSON.parse(json), 'lock file')
  const { packages, dependencies } = lock
  if (packages !== undefined) return fromPackages(members(packages, 'packages'))
  // npm 6 leaves out the dependencies of what has none.
  if (dependencies === undefined && lock['lockfileVersion'] === 1) return { packages: [] }
  return { packages: fromDependencies(members(dependencies, 'dependencies')) }
}

function fromPackages(packages: Members): Locked {
  members(packages[''], 'packages[""], the project itself')
  const entries = Object.entries(packages).map(([path, value]) => [path, members(value, path)] as const)
  const addresses = new Set(entries.flatMap(([, entry]) => addressesIn(entry)))
  return {
    packages: entries.flatMap(([path, entry]) => packagesAt(path, entry, addresses)),
    gaps: entries.flatMap(([path, entry]) => gapsAt(path, entry, packages)),
  }
}

/** Archives that are declared by where they lie: from there any version can come, whatever number it has. */
function addressesIn(entry: Members): string[] {
  const declared = KINDS.flatMap((kind) => Object.values(members(entry[kind] ?? {}, kind)))
  return declared.filter((range): range is string => typeof range === 'string' && /^https?:/.test(range))
}

const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies']

function packagesAt(path: string, entry: Members, addresses: ReadonlySet<string>): Package[] {
  const at = path.lastIndexOf(FOLDER)
  if (at < 0) return ownPackage(path, entry)
  if (entry['link'] === true || isAbsentPeer(entry)) return []
  // An alias has the real name beside it.
  const found = packageOf(String(entry['name'] ?? path.slice(at + FOLDER.length)), entry)
  return [addresses.has(String(entry['resolved'])) ? { ...found, isElsewhere: true } : found]
}

/** What the project, or a workspace of it, declares and is locked nowhere. What is optional may have been found nowhere. */
function gapsAt(path: string, entry: Members, packages: Members): LockGap[] {
  if (path.includes(FOLDER)) return []
  if (path.length > LONGEST_PATH)
    throw new Error(`expected paths of at most ${LONGEST_PATH} characters, got ${path.length}`)
  const [needed, dev, optional] = KINDS.map((kind) => members(entry[kind] ?? {}, kind)) as [
    Members,
    Members,
    Members,
  ]
  const names = Object.keys({ ...needed, ...dev }).filter((name) => !Object.hasOwn(optional, name))
  const isLocked = (name: string) =>
    [`${path}/${FOLDER}${name}`, FOLDER + name].some((at) => Object.hasOwn(packages, at))
  return unlocked(
    path || 'the project',
    names.filter((name) => !isLocked(name)),
  )
}

/** What lies elsewhere is the project's own, and what is a link leads there. */
function ownPackage(path: string, { name = path.split('/').at(-1), version }: Members): Package[] {
  if (typeof name !== 'string' || typeof version !== 'string') return []
  return [{ ecosystem: 'npm', name, version, isOwn: true }]
}

function fromDependencies(dependencies: Members): Package[] {
  const packages: Package[] = []
  const left = [dependencies]
  // It grows as it is gone through.
  for (const each of left) {
    for (const [name, value] of Object.entries(each)) {
      const entry = members(value, name)
      packages.push(...packageOfOld(name, entry))
      left.push(members(entry['dependencies'] ?? {}, name))
    }
  }
  return packages
}

/** A folder is the project's own. */
function packageOfOld(name: string, entry: Members): Package[] {
  const version = text(entry['version'], name)
  const [, alias, aliased] = /^npm:(.+)@([^@]+)$/.exec(version) ?? []
  if (alias !== undefined) return [packageOf(alias, { ...entry, version: aliased })]
  return version.startsWith('file:') && !isArchive(version) ? [] : [packageOf(name, entry)]
}

/** Returns whether an entry is the placeholder that npm writes for an optional peer that is not installed. */
function isAbsentPeer({ version, resolved, optional, peer }: Members): boolean {
  return version === undefined && resolved === undefined && (optional === true || peer === true)
}

/** Makes a package of an entry. Archives and repositories may have no version: OSV cannot be asked, and `npm sbom` lists none. */
function packageOf(name: string, entry: Members): Package {
  const { version = '', resolved = '' } = entry
  const isUnversioned = version === ''
  return {
    ecosystem: 'npm',
    name,
    version: isUnversioned ? '' : text(version, name),
    isElsewhere: isUnversioned || /^(git|file:)/.test(String(resolved)),
    isOptional:
      isUnversioned || entry['optional'] === true || entry['devOptional'] === true || entry['peer'] === true,
    isDev: entry['dev'] === true || entry['devOptional'] === true,
  }
}

/**
 * The names of what a package.json needs, as registries have them. What is optional may have been found nowhere; what lies in a folder
 * is the project's own.
 *
 * @throws Error when it is none
 */
export function declaredIn(json: string): string[] {
  const manifest = members(JSON.parse(json), 'package.json')
  const [needed, dev, optional] = ['dependencies', 'devDependencies', 'optionalDependencies'].map((kind) =>
    Object.entries(members(manifest[kind] ?? {}, kind)),
  ) as [Dependency[], Dependency[], Dependency[]]
  const names = new Set(optional.map(([name]) => name))
  return [...needed, ...dev]
    .filter(([name, range]) => !names.has(name) && !OWN.test(String(range)))
    .map(([name, range]) => ALIAS.exec(String(range))?.[1] ?? name)
}

type Dependency = [name: string, range: unknown]

const OWN = /^(workspace|file|link|portal):|^[./~]/
/** `npm:real@^1.0.0` */
const ALIAS = /^npm:(@?[^@]+)/
