import { endingAtFault, MAX_ALIASES, MAX_DEPTH, parsed } from '../../base/options/nesting.js'
import {
  isAddress,
  isArchive,
  type LockGap,
  type LockReader,
  type Members,
  members,
  type Package,
  unlocked,
} from './package.js'

const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies']

/** pnpm-lock.yaml of pnpm 8 and later: `/name@1.0.0(peer@2.0.0)`, and later `name@1.0.0`. */
export const pnpmLock: LockReader = async (yaml) => {
  const lock = members(await read(yaml), 'lock file')
  const version = Number.parseFloat(String(lock['lockfileVersion']))
  if (!(version >= 6)) {
    throw new Error(`lockfileVersion: expected 6 or later, got ${version}: install with pnpm 8 or later`)
  }
  const packages = members(lock['packages'] ?? {}, 'packages')
  return {
    packages: Object.entries(packages).flatMap(([key, value]) => packagesOf(key, members(value, key))),
    gaps: gapsOf(members(lock['importers'] ?? { '.': lock }, 'importers'), packages),
  }
}

/**
 * What a text of YAML says, in time that grows with it. The parser's own `parse` compares each name of an object with all before it, and
 * for each fault counts the lines up to there.
 */
async function read(yaml: string): Promise<unknown> {
  const { Composer, Lexer, Parser, visit } = await import('yaml')
  const deep = () => new Error(`expected YAML that nests ${MAX_DEPTH} deep at most, got more`)
  const aliased = () => new Error(`expected YAML with at most ${MAX_ALIASES} aliases, got more`)
  const tokens = parsed(new Lexer().lex(yaml), new Parser(), { deep, aliased })
  const composer = endingAtFault(
    new Composer({ uniqueKeys: false }),
    (at, _, message) => new Error(`${message}, at character ${at}`),
  )
  const [document, second] = composer.compose(tokens, true, yaml.length)
  const [fault] = document?.errors ?? []
  if (!document || fault || second) throw fault ?? new Error('expected one document, got more')
  visit(document, {
    Map: (_, { items }) => {
      if (new Set(items.map(({ key }) => String(key))).size === items.length) return
      throw new Error('expected each name once, got one twice')
    },
  })
  return document.toJS()
}

function packagesOf(key: string, entry: Members): Package[] {
  const [, name, found] = /^\/?(@?[^@]+)@([^(]+)/.exec(key) ?? []
  if (name === undefined || found === undefined) throw new Error(`${key}: expected name@version`)
  // What does not come from a registry has its address there.
  const version = String(entry['version'] ?? found)
  if (/^(file|link):/.test(found) && !isArchive(found)) return []
  const [isOptional, isDev] = [entry['optional'] === true, entry['dev'] === true]
  return [{ ecosystem: 'npm', name, version, isOptional, isDev, isElsewhere: isAddress(found) }]
}

/** What the project and its workspaces declare, by what was chosen for it: `1.0.0(peer@2.0.0)`, `real@1.0.0`, an address. */
function gapsOf(importers: Members, packages: Members): LockGap[] {
  const locked = new Set(Object.keys(packages).map(bare))
  return Object.entries(importers).flatMap(([path, value]) => {
    const importer = members(value, path)
    const declared = KINDS.flatMap((kind) => Object.entries(members(importer[kind] ?? {}, path)))
    const absent = declared.filter(([name, entry]) => {
      const chosen = bare(String(members(entry, name)['version']))
      return !chosen.startsWith('link:') && !locked.has(chosen) && !locked.has(`${name}@${chosen}`)
    })
    return unlocked(
      path === '.' ? 'the project' : path,
      absent.map(([name]) => name),
    )
  })
}

const bare = (key: string) => key.replace(/^\//, '').replace(/\(.*$/s, '')
