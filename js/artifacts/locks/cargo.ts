import { missing } from '../missing.js'
import { type LockReader, members, text } from './package.js'

/** Cargo.lock, which always has the project itself. What has no source is its own. */
export const cargoLock: LockReader = async (toml) => {
  const { parse } = await import('smol-toml').catch(missing('smol-toml'))
  const { package: packages } = members(parse(toml), 'lock file')
  if (!Array.isArray(packages) || packages.length === 0) {
    throw new Error('package: expected an array with the project itself, got none')
  }
  return packages
    .map((entry) => members(entry, 'package'))
    .map(({ name, version, source }) => ({
      ecosystem: 'crates.io',
      name: text(name, 'package.name'),
      version: text(version, 'package.version'),
      isOwn: source === undefined,
    }))
}
