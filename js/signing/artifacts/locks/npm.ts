import {
  assertMembers,
  isArchive,
  type LockContents,
  type LockGap,
  type LockReader,
  type Members,
  type Package,
  text,
  unlockedGaps,
} from './package.js'

const FOLDER = 'node_modules/'
/** Maximum length of a path in file systems, in characters. */
const MAX_PATH_LENGTH = 4096

/** Reads package-lock.json and npm-shrinkwrap.json, of npm 7 and later (`packages`) or older (`dependencies`). */
export const npmLock: LockReader = (json) => {
  const lock = assertMembers(JSON.parse(json), 'lock file')
  const { packages, dependencies } = lock
  if (packages !== undefined) return fromPackages(assertMembers(packages, 'packages'))
  // Return no packages, because npm 6 omits `dependencies` for a project without dependencies.
  if (dependencies === undefined && lock['lockfileVersion'] === 1) return { packages: [] }
  return { packages: fromDependencies(assertMembers(dependencies, 'dependencies')) }
}

function fromPackages(packages: Members): LockContents {
  assertMembers(packages[''], 'packages[""], the project itself')
  const entries = Object.entries(packages).map(([path, value]) => [path, assertMembers(value, path)] as const)
  const addresses = new Set(entries.flatMap(([, entry]) => addressesIn(entry)))
  return {
    packages: entries.flatMap(([path, entry]) => packagesAt(path, entry, addresses)),
    gaps: entries.flatMap(([path, entry]) => gapsAt(path, entry, packages)),
  }
}

/** Returns the URLs of dependencies that are declared by URL. The version does not identify the code behind a URL. */
function addressesIn(entry: Members): string[] {
  const declared = KINDS.flatMap((kind) => Object.values(assertMembers(entry[kind] ?? {}, kind)))
  return declared.filter((range): range is string => typeof range === 'string' && /^https?:/.test(range))
}

const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies']

function packagesAt(path: string, entry: Members, addresses: ReadonlySet<string>): Package[] {
  const at = path.lastIndexOf(FOLDER)
  if (at < 0) return ownPackage(path, entry)
  if (entry['link'] === true || isAbsentPeer(entry)) return []
  // Prefer the member `name`, which is the real name of an aliased package.
  const found = packageOf(String(entry['name'] ?? path.slice(at + FOLDER.length)), entry)
  return [addresses.has(String(entry['resolved'])) ? { ...found, isFromOtherSource: true } : found]
}

/** Lists packages that the project or a workspace declares, but the file does not lock. Omits optional packages. */
function gapsAt(path: string, entry: Members, packages: Members): LockGap[] {
  if (path.includes(FOLDER)) return []
  if (path.length > MAX_PATH_LENGTH)
    throw new Error(`expected paths of at most ${MAX_PATH_LENGTH} characters, got ${path.length}`)
  const [needed, dev, optional = {}] = KINDS.map((kind) => assertMembers(entry[kind] ?? {}, kind))
  const names = Object.keys({ ...needed, ...dev }).filter((name) => !Object.hasOwn(optional, name))
  const isLocked = (name: string) =>
    [`${path}/${FOLDER}${name}`, FOLDER + name].some((at) => Object.hasOwn(packages, at))
  return unlockedGaps(
    path || 'the project',
    names.filter((name) => !isLocked(name)),
  )
}

/** Returns the package of the project itself, or of a workspace, whose folder is not in `node_modules`. */
function ownPackage(path: string, { name = path.split('/').at(-1), version }: Members): Package[] {
  if (typeof name !== 'string' || typeof version !== 'string') return []
  return [{ ecosystem: 'npm', name, version, isOwn: true }]
}

function fromDependencies(dependencies: Members): Package[] {
  const packages: Package[] = []
  const left = [dependencies]
  // The loop also visits the items that it appends.
  for (const each of left) {
    for (const [name, value] of Object.entries(each)) {
      const entry = assertMembers(value, name)
      packages.push(...packageOfOld(name, entry))
      left.push(assertMembers(entry['dependencies'] ?? {}, name))
    }
  }
  return packages
}

/** Returns the package of an entry of npm 6. Returns no package for a folder, which belongs to the project. */
function packageOfOld(name: string, entry: Members): Package[] {
  const version = text(entry['version'], name)
  const [, alias, aliased] = /^npm:(.+)@([^@]+)$/.exec(version) ?? []
  if (alias !== undefined) return [packageOf(alias, { ...entry, version: aliased })]
  return version.startsWith('file:') && !isArchive(version) ? [] : [packageOf(name, entry)]
}

/** Returns whether an entry is npm's placeholder for an optional peer dependency that is not installed. */
function isAbsentPeer({ version, resolved, optional, peer }: Members): boolean {
  return version === undefined && resolved === undefined && (optional === true || peer === true)
}

/** Returns the package of an entry. A package without a version is optional, because `npm sbom` omits it. */
function packageOf(name: string, entry: Members): Package {
  const { version = '', resolved = '' } = entry
  const isUnversioned = version === ''
  return {
    ecosystem: 'npm',
    name,
    version: isUnversioned ? '' : text(version, name),
    isFromOtherSource: isUnversioned || /^(git|file:)/.test(String(resolved)),
    isOptional:
      isUnversioned || entry['optional'] === true || entry['devOptional'] === true || entry['peer'] === true,
    isDev: entry['dev'] === true || entry['devOptional'] === true,
  }
}

/**
 * Returns the registry names of the packages that a package.json needs. It omits optional packages, because they may
 * not exist, and folders, because they belong to the project.
 *
 * @throws Error if `json` is not a package.json
 */
export function declaredIn(json: string): string[] {
  const manifest = assertMembers(JSON.parse(json), 'package.json')
  const [needed = [], dev = [], optional = []] = KINDS.map((kind) =>
    Object.entries(assertMembers(manifest[kind] ?? {}, kind)),
  )
  const names = new Set(optional.map(([name]) => name))
  return [...needed, ...dev]
    .filter(([name, range]) => !names.has(name) && !OWN_RANGE.test(String(range)))
    .map(([name, range]) => ALIAS.exec(String(range))?.[1] ?? name)
}

const OWN_RANGE = /^(workspace|file|link|portal):|^[./~]/
/** Pattern of an aliased dependency: `npm:real@^1.0.0`. */
const ALIAS = /^npm:(@?[^@]+)/
