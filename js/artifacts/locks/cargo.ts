import { missing } from '../missing.js'
import { type LockReader, members, text } from './package.js'

/** Cargo.lock. What has no source is the project's own. */
export const cargoLock: LockReader = async (toml) => {
  const { parse } = await import('smol-toml').catch(missing('smol-toml'))
  const { package: packages = [] } = members(parse(toml), 'lock file')
  if (!Array.isArray(packages)) throw new Error('package: expected an array')
  return packages
    .map((entry) => members(entry, 'package'))
    .map(({ name, version, source }) => ({
      ecosystem: 'crates.io',
      name: text(name, 'package.name'),
      version: text(version, 'package.version'),
      isOwn: source === undefined,
    }))
}
