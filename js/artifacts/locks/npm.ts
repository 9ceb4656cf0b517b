import { type LockReader, type Members, members, type Package, text } from './package.js'

const FOLDER = 'node_modules/'

/** package-lock.json and npm-shrinkwrap.json, of npm 7 and later (`packages`) and of those before (`dependencies`). */
export const npmLock: LockReader = (json) => {
  const lock = members(JSON.parse(json), 'lock file')
  const { packages, dependencies } = lock
  if (packages !== undefined) return fromPackages(members(packages, 'packages'))
  // npm 6 leaves out the dependencies of what has none.
  if (dependencies === undefined && lock['lockfileVersion'] === 1) return []
  return fromDependencies(members(dependencies, 'dependencies'))
}

function fromPackages(packages: Members): Package[] {
  members(packages[''], 'packages[""], the project itself')
  return Object.entries(packages).flatMap(([path, value]) => {
    const entry = members(value, path)
    const at = path.lastIndexOf(FOLDER)
    if (at < 0) return ownPackage(path, entry)
    if (entry['link'] === true) return []
    // An alias has the real name beside it.
    return [packageOf(String(entry['name'] ?? path.slice(at + FOLDER.length)), entry)]
  })
}

/** What lies elsewhere is the project's own, and what is a link leads there. */
function ownPackage(path: string, { name = path.split('/').at(-1), version }: Members): Package[] {
  if (typeof name !== 'string' || typeof version !== 'string') return []
  return [{ ecosystem: 'npm', name, version, isOwn: true }]
}

function fromDependencies(dependencies: Members): Package[] {
  return Object.entries(dependencies).flatMap(([name, value]) => {
    const entry = members(value, name)
    const version = text(entry['version'], name)
    const below = fromDependencies(members(entry['dependencies'] ?? {}, name))
    const [, alias, aliased] = /^npm:(.+)@([^@]+)$/.exec(version) ?? []
    if (alias !== undefined) return [packageOf(alias, { ...entry, version: aliased }), ...below]
    return version.startsWith('file:') ? below : [packageOf(name, entry), ...below]
  })
}

function packageOf(name: string, entry: Members): Package {
  return {
    ecosystem: 'npm',
    name,
    version: text(entry['version'], name),
    isOptional: entry['optional'] === true || entry['devOptional'] === true || entry['peer'] === true,
    isDev: entry['dev'] === true || entry['devOptional'] === true,
  }
}
