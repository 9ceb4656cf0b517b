import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findVulnerabilities, type UnaskedReason, vulnerability } from 'alvarium-sdk/annotators'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answerOf } from '../support/answer.js'
import { osvForTests } from '../support/osv.js'

const locks = join(import.meta.dirname, '../vectors/locks')

const osv = await osvForTests()

function project(files: Record<string, string | object>): string {
  const path = mkdtempSync(join(tmpdir(), 'alvarium-unasked-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(path, name), typeof text === 'string' ? text : JSON.stringify(text))
  }
  return path
}

const answer = (path: string, accept?: UnaskedReason[]) =>
  answerOf(vulnerability({ url: osv.url, timeoutMs: 3_600_000, accept }), path)
const unaskedIn = async (path: string) => (await findVulnerabilities(path, { url: osv.url })).unasked
const names = () => osv.batches.flat().map(({ package: { name }, version }) => `${name}@${version}`)

const npm = (root: object, packages: object = {}) => ({
  'package-lock.json': { lockfileVersion: 3, packages: { '': root, ...packages } },
})
const pom = (inner: string) => ({ 'pom.xml': `<project>${inner}</project>` })
const DEPENDENCY =
  '<dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency>'
const PINNED = 'git+ssh://example.com/a.git#0123456789abcdef'

// claim: annotators-5
describe('vulnerability is not satisfied, and says why, where it could not ask about', () => {
  it.each<[string, UnaskedReason, Record<string, string | object>, string]>([
    [
      'what the dependencies in a POM bring',
      'transitive',
      pom(`<dependencies>${DEPENDENCY}</dependencies>`),
      'pom.xml: what its dependencies bring',
    ],
    [
      'what the parent of a POM brings',
      'transitive',
      pom('<parent><artifactId>p</artifactId></parent>'),
      'pom.xml: what its parent brings',
    ],
    [
      'the plugins of a POM',
      'transitive',
      pom('<build><plugins><plugin><artifactId>p</artifactId></plugin></plugins></build>'),
      'pom.xml: its plugins',
    ],
    [
      'the modules of a POM',
      'transitive',
      pom('<modules><module>m</module></modules>'),
      'pom.xml: its modules',
    ],
    [
      'what package.json has since an older package-lock.json',
      'unlocked',
      {
        ...npm({ dependencies: { a: '1' } }, { 'node_modules/a': { version: '1.0.0' } }),
        'package.json': { dependencies: { a: '1', since: '1' } },
      },
      'package-lock.json: since, which the project declares',
    ],
    [
      'what package.json has since an older yarn.lock',
      'unlocked',
      { 'yarn.lock': '# yarn lockfile v1\n', 'package.json': { devDependencies: { since: '1' } } },
      'yarn.lock: since, which the project declares',
    ],
    [
      'what has an address for its version',
      'source',
      { 'pnpm-lock.yaml': "lockfileVersion: '9.0'\npackages:\n  a@1.0.0: { version: x/y }\n" },
      'pnpm-lock.yaml: a x/y',
    ],
    [
      'an archive that is declared by its address',
      'source',
      npm(
        { dependencies: { a: 'https://evil.example/a.tgz' } },
        { 'node_modules/a': { version: '1.0.0', resolved: 'https://evil.example/a.tgz' } },
      ),
      'package-lock.json: a 1.0.0',
    ],
    ['the release of Go', 'toolchain', { 'go.mod': 'module m\n' }, 'go.mod: the release of Go'],
    [
      'what is required indirectly before Go 1.17',
      'transitive',
      { 'go.mod': 'module m\ngo 1.16\ntoolchain go1.22.5\nrequire a v1.0.0\n' },
      'go.mod: what is required indirectly',
    ],
    [
      'a lock file of another ecosystem',
      'lock-file',
      { ...npm({}), 'Gemfile.lock': '' },
      'Gemfile.lock: all that it lists',
    ],
    [
      'the requirements of a script beside a crate',
      'lock-file',
      { 'Cargo.lock': '[[package]]\nname = "app"\nversion = "0.1.0"\n', 'requirements.txt': 'django' },
      'requirements.txt: all that it lists',
    ],
    [
      'what the root of a lock of npm declares and nobody locked',
      'unlocked',
      npm({ dependencies: { lodash: '^4.0.0' } }),
      'package-lock.json: lodash, which the project declares',
    ],
    [
      'what a workspace declares for development and nobody locked',
      'unlocked',
      npm({}, { 'packages/w': { devDependencies: { lodash: '^4.0.0' } } }),
      'package-lock.json: lodash, which packages/w declares',
    ],
    [
      'what an importer of pnpm declares and nobody locked',
      'unlocked',
      {
        'pnpm-lock.yaml':
          "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      lodash: {specifier: ^4.0.0, version: 4.17.21}\n",
      },
      'pnpm-lock.yaml: lodash, which the project declares',
    ],
    [
      'what a workspace of Yarn declares and nobody locked',
      'unlocked',
      {
        'yarn.lock':
          '__metadata:\n  version: 8\n"app@workspace:.":\n  version: 0.0.0\n  resolution: "app@workspace:."\n  dependencies:\n    lodash: "npm:^4.0.0"\n  linkType: soft\n',
      },
      'yarn.lock: lodash, which the project declares',
    ],
    [
      'what a crate declares and nobody locked',
      'unlocked',
      { 'Cargo.lock': '[[package]]\nname = "app"\nversion = "0.1.0"\ndependencies = ["itoa 1.0.9"]\n' },
      'Cargo.lock: itoa, which app declares',
    ],
    [
      'what npm 6 locked from a repository',
      'source',
      { 'package-lock.json': { lockfileVersion: 1, dependencies: { a: { version: PINNED, from: 'x' } } } },
      `package-lock.json: a ${PINNED}`,
    ],
    [
      'what npm 6 locked from an address',
      'source',
      {
        'package-lock.json': { lockfileVersion: 1, dependencies: { a: { version: 'https://e.com/a.tgz' } } },
      },
      'package-lock.json: a https://e.com/a.tgz',
    ],
    [
      'what npm 6 locked from an archive beside it',
      'source',
      { 'package-lock.json': { lockfileVersion: 1, dependencies: { a: { version: 'file:a-1.0.0.tgz' } } } },
      'package-lock.json: a file:a-1.0.0.tgz',
    ],
    [
      'what npm locked from a repository',
      'source',
      npm({}, { 'node_modules/a': { version: '1.0.0', resolved: PINNED } }),
      'package-lock.json: a 1.0.0',
    ],
    [
      'what pnpm locked from an address',
      'source',
      { 'pnpm-lock.yaml': "lockfileVersion: '9.0'\npackages:\n  a@https://e.com/a.tgz: {version: 1.0.0}\n" },
      'pnpm-lock.yaml: a 1.0.0',
    ],
    [
      'what Yarn 1 locked from a repository',
      'source',
      {
        'yarn.lock':
          '# yarn lockfile v1\n\n"a@e/a":\n  version "1.0.0"\n  resolved "https://e.com/a.git#01"\n',
      },
      'yarn.lock: a 1.0.0',
    ],
    [
      'what Yarn locked from a repository',
      'source',
      {
        'yarn.lock':
          '__metadata:\n  version: 8\n"a@github:e/a":\n  version: 1.0.0\n  resolution: "a@https://github.com/e/a.git#commit=01"\n  linkType: hard\n',
      },
      'yarn.lock: a 1.0.0',
    ],
    [
      'a crate from a repository',
      'source',
      {
        'Cargo.lock':
          '[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "git+https://e.com/a?rev=01#01"\n',
      },
      'Cargo.lock: a 1.0.0',
    ],
  ])('%s (%s)', async (_, reason, files, what) => {
    const path = project(files)
    const said = await answer(path)
    expect(said).toContain('expected to ask about everything, got 1 not asked about')
    expect(said).toContain(what)
    expect(said).toContain(`accept: ['${reason}']`)
    expect(await unaskedIn(path)).toMatchObject([{ reason }])
    expect(await answer(path, [reason])).toBe(true)
  })

  it('what is vulnerable is an answer, whatever else was not asked about', async () => {
    osv.known.set('npm a@1.0.0', [['GHSA-1']])
    const path = project({
      ...npm({}, { 'node_modules/a': { version: '1.0.0', resolved: PINNED } }),
      'Gemfile.lock': '',
    })
    expect(await answer(path)).toBe(false)
    const { vulnerabilities, unasked } = await findVulnerabilities(path, { url: osv.url })
    expect(vulnerabilities).toEqual([{ ecosystem: 'npm', name: 'a', version: '1.0.0', ids: ['GHSA-1'] }])
    expect(unasked).toEqual([
      { reason: 'source', what: 'a 1.0.0', file: 'package-lock.json' },
      { reason: 'lock-file', what: 'all that it lists', file: 'Gemfile.lock' },
    ])
  })

  it('what package.json has under another name, optionally, or in a folder, is not missing', async () => {
    const files = {
      'package.json': {
        dependencies: { alias: 'npm:@s/real@^1', mine: 'workspace:*', near: 'file:../near', ours: '^1' },
        optionalDependencies: { fsevents: '2' },
      },
      'yarn.lock': `__metadata:
  version: 8
"alias@npm:@s/real@^1":
  version: 1.0.0
  resolution: "@s/real@npm:1.0.0"
  linkType: hard
"ours@npm:^1, ours@workspace:ours":
  version: 0.0.0-use.local
  resolution: "ours@workspace:ours"
  linkType: soft
`,
    }
    expect(await unaskedIn(project(files))).toEqual([])
  })

  it('accepts what it is told to, and nothing else', async () => {
    const path = project({ ...npm({ dependencies: { a: '1' } }), 'Gemfile.lock': '' })
    expect(await answer(path, ['lock-file'])).toContain("accept: ['unlocked']")
    expect(await answer(path, ['lock-file', 'unlocked'])).toBe(true)
  })

  it('asks nobody about an address, of which OSV knows nothing', async () => {
    const dependencies = { a: { version: PINNED }, b: { version: '1.0.0' } }
    await answer(project({ 'package-lock.json': { lockfileVersion: 1, dependencies } }))
    expect(names()).toEqual(['b@1.0.0'])
  })

  it('names five of many, and a few of the letters of a long one', async () => {
    const dependencies = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`${at}`.repeat(9999), '1']))
    const said = await answer(project(npm({ dependencies })))
    expect(said).toContain('got 9 not asked about')
    expect(String(said).length).toBeLessThan(2000)
  })
})

it('shows no password of an address', async () => {
  const version = 'git+https://me:s3cr@et@example.com/a.git#01'
  const path = project({ 'package-lock.json': { lockfileVersion: 1, dependencies: { a: { version } } } })
  const said = [await answer(path), JSON.stringify(await unaskedIn(path))].join()
  expect(said).toContain('a git+https://example.com/a.git#01')
  expect(said).not.toContain('s3cr')
})

it('reads a lock of Yarn whose addresses go on for megabytes', async () => {
  const long = '@git'.repeat(500_000)
  const yarn = `# yarn lockfile v1\n\n"a@1":\n  version "1.0.0"\n  resolved "${long}"\n`
  expect(await answer(project({ 'yarn.lock': yarn }))).toBe(true)
})

it.each(['npm', 'pnpm', 'yarn1', 'berry', 'cargo', 'go'])(
  'all is asked about that a whole lock file of %s has',
  async (tool) => {
    expect(await unaskedIn(join(locks, tool))).toEqual([])
  },
)

it('what a lock of npm declares may be an alias, a workspace, in the folder of one, or optional', async () => {
  const path = project(
    npm(
      { dependencies: { alias: 'npm:real@1', w: '*', o: '1' }, optionalDependencies: { o: '1' } },
      {
        'node_modules/alias': { name: 'real', version: '1.0.0' },
        'node_modules/w': { resolved: 'packages/w', link: true },
        'packages/w': { version: '1.0.0', dependencies: { alias: '1', d: '4' } },
        'packages/w/node_modules/d': { version: '4.0.0' },
      },
    ),
  )
  expect(await answer(path)).toBe(true)
})

it('folders of the project itself are not packages from elsewhere', async () => {
  const yarn = '"mine@file:../mine":\n  version "1.0.0"\n'
  const path = project({
    'package-lock.json': { lockfileVersion: 1, dependencies: { mine: { version: 'file:../mine' } } },
    'yarn.lock': `# yarn lockfile v1\n\n${yarn}`,
    'pnpm-lock.yaml':
      "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      mine: {specifier: 'file:../mine', version: 'file:../mine'}\n      other: {specifier: 'link:../o', version: 'link:../o'}\npackages:\n  mine@file:../mine: {version: 1.0.0, resolution: {directory: ../mine, type: directory}}\n",
  })
  expect(await answer(path)).toBe(true)
  expect(names()).toEqual([])
})

it('nothing is missing from the locks of this very package', async () => {
  const path = project({})
  copyFileSync(join(import.meta.dirname, '../../package-lock.json'), join(path, 'package-lock.json'))
  copyFileSync(join(import.meta.dirname, '../../crate/Cargo.lock'), join(path, 'Cargo.lock'))
  expect(await unaskedIn(path)).toEqual([])
})
