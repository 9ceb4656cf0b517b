import { type LockReader, members } from './package.js'

/** pnpm-lock.yaml of pnpm 8 and later: `/name@1.0.0(peer@2.0.0)`, and later `name@1.0.0`. */
export const pnpmLock: LockReader = async (yaml) => {
  const { parse } = await import('yaml')
  const lock = members(parse(yaml), 'lock file')
  const version = Number.parseFloat(String(lock['lockfileVersion']))
  if (!(version >= 6)) {
    throw new Error(`lockfileVersion: expected 6 or later, got ${version}: install with pnpm 8 or later`)
  }
  return Object.entries(members(lock['packages'] ?? {}, 'packages')).flatMap(([key, value]) => {
    const entry = members(value, key)
    const [, name, found] = /^\/?(@?[^@]+)@([^(]+)/.exec(key) ?? []
    if (name === undefined || found === undefined) throw new Error(`${key}: expected name@version`)
    // What does not come from a registry has its address there.
    const version = String(entry['version'] ?? found)
    if (/^(file|link):/.test(version)) return []
    const [isOptional, isDev] = [entry['optional'] === true, entry['dev'] === true]
    return [{ ecosystem: 'npm' as const, name, version, isOptional, isDev }]
  })
}
