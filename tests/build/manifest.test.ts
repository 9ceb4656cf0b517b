import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
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

  it.each(names)('exports %s with the types next to the code', (name, path) => {
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

  it.each(PACKAGES)(
    'of $name depends on no package that is bundled in its files, and has the version of the repository',
    (one) => {
      const { version, dependencies = {} } = publishedManifest(one)
      expect(Object.keys(dependencies).filter((name) => BUNDLE_PARTS.includes(name))).toEqual([])
      expect(version).toBe(manifestIn(root).version)
    },
  )
})

/** npm's page resolves such links in the repository. */
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

  it('lead to files of the repository', () => {
    const missing = [...links].filter(([, path = '']) => !existsSync(join(root, dirname(page), path)))
    expect(missing.map(([, path]) => path)).toEqual([])
  })
})

describe('CHANGELOG.md', () => {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')

  it('has the heading [Unreleased], under which the release tool writes', () => {
    expect(text).toMatch(/\n\n## \[Unreleased\]\n\n/)
  })

  it('has at most 40 lines for its first release, without the headings Changed, Fixed and Removed', () => {
    const first = text.split(/\n(?=## )/).at(-1) ?? ''
    expect(first.split('\n').length).toBeLessThanOrEqual(40)
    expect(first).not.toMatch(/^### (?:Changed|Fixed|Removed)$/m)
  })
})

it('the packages contain the licences of all the code that users get', () => {
  const said = execFileSync(process.execPath, [join(root, 'tests/build/licences.mjs')], { encoding: 'utf8' })
  expect(said).toContain('✓ mqtt 5')
  expect(said).toContain('✓ minicbor')
})
