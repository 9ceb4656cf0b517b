import { missing } from '../missing.js'
import { isArchive, type LockReader, type Members, members, type Package, text, unlocked } from './package.js'

/** In its second line, all that tells a lock file of nothing from any other text. */
const YARN_1 = /^# yarn lockfile v1\s*$/m

/** yarn.lock, of Yarn 1 and of later ones. */
export const yarnLock: LockReader = async (source) => {
  const { parseSyml } = await import('@yarnpkg/parsers').catch(missing('@yarnpkg/parsers'))
  const { __metadata, ...entries } = members(parseSyml(source), 'lock file')
  if (__metadata === undefined && !YARN_1.test(source)) {
    throw new Error('expected __metadata or "# yarn lockfile v1", got neither')
  }
  const all = Object.entries(entries).map(([key, value]) => [key, members(value, key)] as const)
  const names = new Set(all.flatMap(([key]) => key.split(/, ?/).map(nameIn)))
  return {
    packages: all.flatMap(([key, entry]) => packageOf(key, entry)),
    ownNames: all.flatMap(([key, { linkType }]) => (linkType === 'soft' ? [nameIn(key) ?? key] : [])),
    gaps: all.flatMap(([key, entry]) => {
      const needed = Object.keys(members(entry['dependencies'] ?? {}, key))
      const absent = needed.filter((name) => !names.has(name) && !isOptional(entry, name))
      return unlocked(entry['linkType'] === 'soft' ? 'the project' : (nameIn(key) ?? key), absent)
    }),
  }
}

const nameIn = (descriptor: string) => /^@?[^@]+/.exec(descriptor)?.[0]

function isOptional(entry: Members, name: string): boolean {
  const meta = members(entry['dependenciesMeta'] ?? {}, name)
  return Object.hasOwn(meta, name)
}

function packageOf(key: string, entry: Members): Package[] {
  const resolution = text(entry['resolution'] ?? realName(key), key)
  // Packages of the project itself.
  if (entry['linkType'] === 'soft' || (/@file:/.test(resolution) && !isArchive(resolution))) return []
  const name = nameIn(resolution)
  if (name === undefined) throw new Error(`${key}: expected name@range`)
  const isElsewhere = ELSEWHERE.test(resolution) || ELSEWHERE.test(String(entry['resolved'] ?? ''))
  return [{ ecosystem: 'npm', name, version: text(entry['version'], key), isElsewhere }]
}

/** A repository or a file, where what comes from a registry has its range, or its archive. */
const ELSEWHERE =
  /^git|^file:|@(git|bitbucket|gist|ssh|https?|file)[^:@]{0,20}:|\.git(#|$)|codeload\.github\.com/

/** Of `alias@npm:real@^1.0.0, alias@…` the real one. */
function realName(key: string): string {
  return /^@?[^@]+@npm:(@?[^@,]+)@/.exec(key)?.[1] ?? key
}
