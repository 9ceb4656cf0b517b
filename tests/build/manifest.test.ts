import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publishedManifest } from '../../js/build/package/manifest.mjs'
import { BUNDLE_PARTS, PACKAGES, SDK } from '../../js/build/package/names.mjs'
import { alvarium } from '../cli/command.js'

const root = join(import.meta.dirname, '../..')
const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

it('the version that the command shows is the one in package.json', async () => {
  expect((await alvarium(['--version'])).out).toBe(`${manifestIn(root).version}\n`)
})

describe('the published package.json', () => {
  const { exports, dependencies, peerDependencies } = publishedManifest(SDK)
  const names = Object.entries(manifestIn(root).exports).filter(([, path]) => String(path).endsWith('.js'))

  it.each(names)('has %s with types next to its code', (name, path) => {
    expect(exports[name]).toEqual({ types: String(path).replace(/js$/, 'd.ts'), default: path })
  })

  it('of alvarium-sdk has no dependency, and four optional peers', () => {
    expect(dependencies).toBeUndefined()
    expect(Object.keys(peerDependencies).sort()).toEqual([
      '@electric-sql/pglite',
      '@opentelemetry/api',
      'mqtt',
      'pg',
    ])
  })

  it.each(PACKAGES)('of $name depends on no package that is in its files, and has the one version', (one) => {
    const { version, dependencies = {} } = publishedManifest(one)
    expect(Object.keys(dependencies).filter((name) => BUNDLE_PARTS.includes(name))).toEqual([])
    expect(version).toBe(manifestIn(root).version)
  })
})

describe('npm run address', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'alvarium-address-'))
    copyFileSync(join(root, 'package.json'), join(folder, 'package.json'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  const address = (url: string) =>
    execFileSync(process.execPath, [join(root, 'js/build/address.mjs'), url], { cwd: folder, stdio: 'pipe' })

  it('fills in repository, homepage and bugs', () => {
    address('https://github.com/somebody/alvarium-sdk')
    expect(manifestIn(folder)).toMatchObject({
      repository: { type: 'git', url: 'git+https://github.com/somebody/alvarium-sdk.git' },
      homepage: 'https://github.com/somebody/alvarium-sdk#readme',
      bugs: { url: 'https://github.com/somebody/alvarium-sdk/issues' },
    })
    expect(JSON.stringify(manifestIn(folder))).not.toContain('example.invalid')
  })

  it('refuses what is no https URL of a repository', () => {
    expect(() => address('github.com/somebody/alvarium-sdk')).toThrow('expected the https URL')
    expect(() => address('https://github.com/')).toThrow('expected the https URL')
  })
})

/** By npm's page such links are looked up in the repository. */
const guide = readdirSync(join(root, 'examples/guide')).filter((name) => name.endsWith('.md'))
describe.each([
  ...[
    'README.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'crate/FORMAT.md',
    'js/README.md',
    'crate/README.md',
    'tests/README.md',
    'bench/README.md',
    'examples/README.md',
  ],
  ...guide.map((name) => `examples/guide/${name}`),
])('the links of %s', (page) => {
  const links = readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)

  it('lead to files that are there', () => {
    const missing = [...links].filter(([, path = '']) => !existsSync(join(root, dirname(page), path)))
    expect(missing.map(([, path]) => path)).toEqual([])
  })
})

describe('CHANGELOG.md', () => {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')

  it('has the heading under which the release tool writes', () => {
    expect(text).toMatch(/\n\n## \[Unreleased\]\n\n/)
  })

  it('has for its first release one entry of at most 40 lines, in which nothing is fixed', () => {
    const first = text.split(/\n(?=## )/).at(-1) ?? ''
    expect(first.split('\n').length).toBeLessThanOrEqual(40)
    expect(first).not.toMatch(/^### (?:Changed|Fixed|Removed)$/m)
  })
})

it('the licences of all that users get go with ours', () => {
  const said = execFileSync(process.execPath, [join(root, 'js/build/licences.mjs')], { encoding: 'utf8' })
  expect(said).toContain('✓ mqtt 5')
  expect(said).toContain('✓ minicbor')
})
