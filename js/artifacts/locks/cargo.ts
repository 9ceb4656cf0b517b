import { missing } from '../missing.js'
import { type LockReader, type Members, members, text, unlocked } from './package.js'

/** Cargo.lock, which always lists the project itself. A package without a source is the project's own. */
export const cargoLock: LockReader = async (toml) => {
  const { parse } = await import('smol-toml').catch(missing('smol-toml'))
  const { package: packages } = members(parse(toml), 'lock file')
  if (!Array.isArray(packages) || packages.length === 0) {
    throw new Error('package: expected an array with the project itself, got none')
  }
  const entries = packages.map((entry) => members(entry, 'package'))
  const names = new Set(entries.map(({ name }) => name))
  return {
    packages: entries.map(({ name, version, source }) => ({
      ecosystem: 'crates.io',
      name: text(name, 'package.name'),
      version: text(version, 'package.version'),
      isOwn: source === undefined,
      isElsewhere: typeof source === 'string' && source.startsWith('git+'),
    })),
    gaps: entries.flatMap((entry) =>
      unlocked(
        String(entry['name']),
        neededBy(entry).filter((name) => !names.has(name)),
      ),
    ),
  }
}

/** Names, each of which a version and a source may follow. */
function neededBy({ dependencies = [] }: Members): string[] {
  if (!Array.isArray(dependencies)) throw new Error('package.dependencies: expected an array')
  return dependencies.map((one) => text(one, 'package.dependencies').split(' ')[0] ?? '')
}
