import { missing } from '../missing.js'
import { type LockReader, type Members, members, type Package, text } from './package.js'

/** In its second line, all that tells a lock file of nothing from any other text. */
const YARN_1 = /^# yarn lockfile v1\s*$/m

/** yarn.lock, of Yarn 1 and of later ones. */
export const yarnLock: LockReader = async (source) => {
  const { parseSyml } = await import('@yarnpkg/parsers').catch(missing('@yarnpkg/parsers'))
  const { __metadata, ...entries } = members(parseSyml(source), 'lock file')
  if (__metadata === undefined && !YARN_1.test(source)) {
    throw new Error('expected __metadata or "# yarn lockfile v1", got neither')
  }
  return Object.entries(entries).flatMap(([key, value]) => packageOf(key, members(value, key)))
}

function packageOf(key: string, entry: Members): Package[] {
  // Packages of the project itself.
  if (entry['linkType'] === 'soft') return []
  const resolution = entry['resolution'] ?? realName(key)
  const [name] = /^@?[^@]+/.exec(text(resolution, key)) ?? []
  if (name === undefined) throw new Error(`${key}: expected name@range`)
  return [{ ecosystem: 'npm', name, version: text(entry['version'], key) }]
}

/** Of `alias@npm:real@^1.0.0, alias@…` the real one. */
function realName(key: string): string {
  return /^@?[^@]+@npm:(@?[^@,]+)@/.exec(key)?.[1] ?? key
}
