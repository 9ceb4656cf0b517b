import type { LockReader } from './package.js'

type Words = readonly string[]

/**
 * go.mod (https://go.dev/ref/mod#go-mod-file): what it requires, where it has `replace` that. Directly and indirectly, as `go mod
 * tidy` writes both. OSV has versions without their `v`.
 */
export const goMod: LockReader = (source) => {
  const statements = statementsIn(source)
  const replaced = statements.filter(([verb]) => verb === 'replace')
  return statements
    .filter(([verb]) => verb === 'require')
    .flatMap(([, name = '', version = '']) => {
      if (!/^v\d/.test(version))
        throw new Error(`${name}: expected a version that begins with v, got ${version}`)
      return replacement(name, version, replaced)
    })
    .map(({ name, version }) => ({ ecosystem: 'Go', name, version: version.replace(/^v/, '') }))
}

/** `old [version] => new version`, or a folder, which is no package. One for a version counts before one for all. */
function replacement(name: string, version: string, replaced: readonly Words[]) {
  const mine = replaced.filter(
    ([, old, second, third]) => old === name && (second === '=>' || (second === version && third === '=>')),
  )
  const words = mine.find(([, , second]) => second !== '=>') ?? mine[0]
  if (!words) return [{ name, version }]
  const [other, otherVersion] = words.slice(words.indexOf('=>') + 1)
  return other !== undefined && otherVersion !== undefined ? [{ name: other, version: otherVersion }] : []
}

/** Each with its verb, also out of `verb ( … )`. */
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
