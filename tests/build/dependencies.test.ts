import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BUNDLE_PARTS, PACKAGES } from '../../js/build/package/names.mjs'
import { installedWith } from './locked.mjs'

/** A package of package-lock.json. */
interface Locked {
  readonly dependencies?: Record<string, string>
  readonly hasInstallScript?: boolean
}

const DEPENDENCIES = [...new Set(PACKAGES.flatMap(({ installed }) => installed))]
const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/**
 * Returns the name and version of every row of a table in the guide's page on threats, found by the head of its first
 * column.
 */
function rowsOf(head: string): Map<string, string> {
  const [, table = ''] = read('examples/guide/threats.md').split(
    `| ${head} | version | released | for |\n|---|---|---|---|\n`,
  )
  const rows = (table.split('\n\n')[0] ?? '').matchAll(/^\| ([\w@/-]+) \| ([\d.]*) ?\|/gm)
  return new Map([...rows].map(([, name = '', version = '']) => [name, version]))
}

describe("the guide's list of dependencies", () => {
  // claim: threats-75
  it.each([
    ['installed with alvarium-command or alvarium-artifacts', DEPENDENCIES],
    ['in its files', BUNDLE_PARTS],
    ['beside it, if you install it', Object.keys(JSON.parse(read('package.json')).peerDependencies)],
  ])('has the package versions of package-lock.json in its table "%s"', (head, names) => {
    const { packages } = JSON.parse(read('package-lock.json'))
    const pinned = names.map((name) => [name, packages[`node_modules/${name}`].version])
    expect([...rowsOf(head)].sort()).toEqual(pinned.sort())
  })

  it.each([
    ['in the core', ['crate/Cargo.toml', 'crate/ed25519x4/Cargo.toml']],
    ['in the other algorithms', ['crate/algorithms/Cargo.toml']],
  ])('has the crate versions of Cargo.lock in its table "%s"', (head, paths) => {
    const direct = paths.flatMap((path) => dependenciesOf(read(path)))
    const lock = read('crate/Cargo.lock')
    const pinned = [...new Set(direct)].map((name) => {
      const [, version] =
        lock.match(new RegExp(`^name = "${name}"\nversion = "([\\d.]+)"\nsource`, 'm')) ?? []
      return [name, version ?? '']
    })
    expect([...rowsOf(head)].sort()).toEqual(pinned.sort())
  })
})

// claim: readme-8
it('no dependency and no optional peer of the package has an install script', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
  const runsScript = (path: string) => packages[path]?.hasInstallScript === true
  const beside = Object.keys(JSON.parse(read('package.json')).peerDependencies)
  const places = (names: readonly string[]) =>
    installedWith(
      packages,
      names.map((name) => `node_modules/${name}`),
    )
  expect(places([...DEPENDENCIES, ...beside]).filter(runsScript)).toEqual([])
})

/** Returns the dependencies in a Cargo.toml that users get, without those of its tests and checks. */
function dependenciesOf(toml: string): string[] {
  const parts = toml.split(/^\[/m).filter((part) => /^(?:target\..*\.)?dependencies\]/.test(part))
  const lines = parts.flatMap((part) => part.split('\n').slice(1))
  return lines.flatMap((line) => line.match(/^[\w-]+/) ?? [])
}
