import { quote } from '../../../foundation/base/text/text.js'
import type { LockGap, LockReader, Package } from './package.js'

type Words = readonly string[]

/** Pattern of Go releases: `1.22`, `1.22.5`, `1.22rc1`, and `go1.22.5` with or without a suffix. */
const RELEASE = /^(?:go)?(\d+)\.(\d+)(?:\.(\d+))?(?:(rc|beta|alpha)(\d+))?(?:-.*)?$/
/** Pattern of a path in go.mod to a folder inside the module. */
const OWN_FOLDER = /^\.\/(?!(?:.*\/)?\.\.(?:\/|$))/
/** Keywords of the directives in go.mod. Any other keyword is an error, as in Go. */
const VERBS = 'module go toolchain godebug require exclude replace retract tool ignore'.split(' ')

/**
 * Reads the requirements of go.mod (https://go.dev/ref/mod#go-mod-file), and applies each `replace`. From Go 1.17 on,
 * `go mod tidy` also writes indirect requirements. OSV lists versions without the `v`, and Go itself as two packages.
 */
export const goMod: LockReader = (source) => {
  const statements = statementsIn(source)
  assertGoMod(statements)
  const replacements = replacementsIn(statements)
  const required = statements
    .filter(([verb]) => verb === 'require')
    .flatMap(([, name = '', version = '']) => {
      if (!/^v\d/.test(version))
        throw new Error(`${name}: expected a version that begins with v, got ${version}`)
      return applyReplacements(name, version, replacements)
    })
    .map((found): Package => ({ ecosystem: 'Go', ...found, version: found.version.replace(/^v/, '') }))
  const [toolchain, go] = ['toolchain', 'go'].map((verb) => releaseIn(statements, verb))
  return {
    packages: [...required, ...packagesOf(toolchain ?? go)],
    gaps: gapsOf(toolchain ?? go, go, required.length),
  }
}

function releaseIn(statements: readonly Words[], wanted: string): RegExpExecArray | undefined {
  const [, release = ''] = statements.find(([verb]) => verb === wanted) ?? []
  return RELEASE.exec(release) ?? undefined
}

/** Returns the Go release that builds the module, as OSV's packages `stdlib` and `toolchain`. An SBOM may lack them. */
function packagesOf(release: RegExpExecArray | undefined): Package[] {
  if (!release) return []
  const [, major, minor, patch = '0', stage, at] = release
  const version = `${major}.${minor}.${patch}${stage === undefined ? '' : `-${stage}.${at}`}`
  return ['stdlib', 'toolchain'].map((name) => ({ ecosystem: 'Go', name, version, isOptional: true }))
}

/**
 * Describes what a go.mod does not state: the Go release, or the indirect requirements, which `go mod tidy`
 * writes only from Go 1.17 on.
 *
 * @param builds - the Go release that builds the module, if the file states it
 * @param count - number of requirements, except those in folders of the module
 */
function gapsOf(builds: unknown, go: RegExpExecArray | undefined, count: number): LockGap[] {
  const [, major, minor] = go?.map(Number) ?? []
  const isWhole = count === 0 || Number(major) > 1 || Number(minor) >= 17
  const description = 'what is required indirectly: go mod tidy -go=1.17'
  return [
    ...(builds ? [] : [{ reason: 'toolchain' as const, what: 'the release of Go, which it does not name' }]),
    ...(isWhole ? [] : [{ reason: 'transitive' as const, what: description }]),
  ]
}

function assertGoMod(statements: readonly Words[]): void {
  for (const [verb = ''] of statements) {
    if (VERBS.includes(verb)) continue
    throw new Error(`expected ${VERBS.join(', ')}, got ${quote(verb)}`)
  }
  if (!statements.some(([verb, path]) => verb === 'module' && path !== undefined)) {
    throw new Error('needs the line module with the path of the module')
  }
}

/** Maps `old version`, or `old =>` for all versions, of each `replace` to the words after the arrow. */
function replacementsIn(statements: readonly Words[]): ReadonlyMap<string, Words> {
  const found = new Map<string, Words>()
  for (const [verb, old, second, third, ...more] of statements) {
    if (verb !== 'replace' || (second !== '=>' && third !== '=>')) continue
    const key = `${old} ${second}`
    const words = second === '=>' ? [third, ...more] : more
    if (!found.has(key)) found.set(key, words as Words)
  }
  return found
}

/**
 * Returns the package that a build uses in place of a required package, or the package itself without a
 * `replace`. A `replace` for one version has precedence over one for all versions. Returns no package for a
 * folder below the module, because the folder belongs to the project. Any other folder can contain a fork
 * with unknown code, so the package is then marked as from another source.
 */
function applyReplacements(name: string, version: string, replacements: ReadonlyMap<string, Words>) {
  const words = replacements.get(`${name} ${version}`) ?? replacements.get(`${name} =>`)
  if (!words) return [{ name, version }]
  const [other = '', otherVersion] = words
  if (otherVersion !== undefined) return [{ name: other, version: otherVersion }]
  return OWN_FOLDER.test(other) ? [] : [{ name, version, isFromOtherSource: true }]
}

/**
 * Splits go.mod into statements. Each statement begins with its keyword. A line in a block `keyword ( … )`
 * begins with the keyword of the block.
 */
function statementsIn(source: string): Words[] {
  const statements: Words[] = []
  let block: string | undefined
  for (const line of source.split(/\r?\n/)) {
    const words = wordsIn(line)
    if (words.length === 0) continue
    if (block === undefined && words.at(-1) === '(') block = words[0]
    else if (words[0] === ')') block = undefined
    else statements.push(block === undefined ? words : [block, ...words])
  }
  return statements
}

function wordsIn(line: string): string[] {
  const words = line.replace(/\/\/.*$/, '').match(/"[^"]*"|`[^`]*`|[()]|[^\s()"`]+/g) ?? []
  return words.map((word) => word.replace(/^(["`])(.*)\1$/, '$2'))
}
