import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findVulnerabilities, type UnaskedReason, vulnerability } from 'alvarium-artifacts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answerOf } from '../support/answer.js'
import { osvForTests } from '../support/osv.js'

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
describe('the vulnerability annotator with an incomplete lock file or POM', () => {
  it.each<[string, UnaskedReason, Record<string, string | object>, string]>([
    [
      'the transitive dependencies in a POM',
      'transitive',
      pom(`<dependencies>${DEPENDENCY}</dependencies>`),
      'pom.xml: what its dependencies bring',
    ],
    [
      'the dependencies that a POM inherits from its parent',
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
      'a dependency in package.json that an older package-lock.json lacks',
      'unlocked',
      {
        ...npm({ dependencies: { a: '1' } }, { 'node_modules/a': { version: '1.0.0' } }),
        'package.json': { dependencies: { a: '1', since: '1' } },
      },
      'package-lock.json: since, which the project declares',
    ],
    [
      'an archive that is declared by its URL',
      'source',
      npm(
        { dependencies: { a: 'https://evil.example/a.tgz' } },
        { 'node_modules/a': { version: '1.0.0', resolved: 'https://evil.example/a.tgz' } },
      ),
      'package-lock.json: a 1.0.0',
    ],
    [
      'a folder outside a Go module that replaces a requirement',
      'source',
      { 'go.mod': 'module m\ngo 1.22\nrequire example.com/a v1.0.0\nreplace example.com/a => ../fork\n' },
      'go.mod: example.com/a 1.0.0',
    ],
    [
      'a folder outside a Go module whose path contains ".."',
      'source',
      {
        'go.mod':
          'module m\ngo 1.22\nrequire example.com/a v1.0.0\nreplace example.com/a => ./b/../../fork\n',
      },
      'go.mod: example.com/a 1.0.0',
    ],
    ['the release of Go', 'toolchain', { 'go.mod': 'module m\n' }, 'go.mod: the release of Go'],
    [
      'the indirect requirements of a module for Go 1.16',
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
      'a Cargo.lock next to a package-lock.json',
      'lock-file',
      { ...npm({}), 'Cargo.lock': '' },
      'Cargo.lock: all that it lists',
    ],
    [
      'a dependency of the project that package-lock.json does not lock',
      'unlocked',
      npm({ dependencies: { lodash: '^4.0.0' } }),
      'package-lock.json: lodash, which the project declares',
    ],
    [
      'a development dependency of a workspace that package-lock.json does not lock',
      'unlocked',
      npm({}, { 'packages/w': { devDependencies: { lodash: '^4.0.0' } } }),
      'package-lock.json: lodash, which packages/w declares',
    ],
    [
      'a package that npm 6 locked from a repository',
      'source',
      { 'package-lock.json': { lockfileVersion: 1, dependencies: { a: { version: PINNED, from: 'x' } } } },
      `package-lock.json: a ${PINNED}`,
    ],
    [
      'a package that npm 6 locked from a URL',
      'source',
      {
        'package-lock.json': { lockfileVersion: 1, dependencies: { a: { version: 'https://e.com/a.tgz' } } },
      },
      'package-lock.json: a https://e.com/a.tgz',
    ],
    [
      'a package that npm 6 locked from a local archive',
      'source',
      { 'package-lock.json': { lockfileVersion: 1, dependencies: { a: { version: 'file:a-1.0.0.tgz' } } } },
      'package-lock.json: a file:a-1.0.0.tgz',
    ],
    [
      'a package that npm locked from a repository',
      'source',
      npm({}, { 'node_modules/a': { version: '1.0.0', resolved: PINNED } }),
      'package-lock.json: a 1.0.0',
    ],
  ])(
    'is not satisfied, and reports that it could not ask OSV about %s (reason "%s")',
    async (_, reason, files, what) => {
      const path = project(files)
      const said = await answer(path)
      expect(said).toContain('expected to ask about everything, got 1 not asked about')
      expect(said).toContain(what)
      expect(said).toContain(`accept: ['${reason}']`)
      expect(await unaskedIn(path)).toMatchObject([{ reason }])
      expect(await answer(path, [reason])).toBe(true)
    },
  )

  it('reports a vulnerable package, even if it could not ask OSV about other packages', async () => {
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

  it('finds every dependency of package.json in the lock file, even an aliased or optional one', async () => {
    const files = {
      'package.json': {
        dependencies: { alias: 'npm:@s/real@^1', mine: 'workspace:*', near: 'file:../near', ours: '^1' },
        optionalDependencies: { fsevents: '2' },
      },
      ...npm(
        {},
        {
          'node_modules/alias': { name: '@s/real', version: '1.0.0' },
          ours: { name: 'ours', version: '0.0.0' },
        },
      ),
    }
    expect(await unaskedIn(project(files))).toEqual([])
  })

  it('accepts that it cannot ask OSV about a package only if its options list the reason', async () => {
    const path = project({ ...npm({ dependencies: { a: '1' } }), 'Gemfile.lock': '' })
    expect(await answer(path, ['lock-file'])).toContain("accept: ['unlocked']")
    expect(await answer(path, ['lock-file', 'unlocked'])).toBe(true)
  })

  it('sends no request about a package whose source is a URL, because OSV knows no URLs', async () => {
    const dependencies = { a: { version: PINNED }, b: { version: '1.0.0' } }
    await answer(project({ 'package-lock.json': { lockfileVersion: 1, dependencies } }))
    expect(names()).toEqual(['b@1.0.0'])
  })

  it('limits its error to five packages, and to the first letters of a long name', async () => {
    const dependencies = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`${at}`.repeat(9999), '1']))
    const said = await answer(project(npm({ dependencies })))
    expect(said).toContain('got 9 not asked about')
    expect(String(said).length).toBeLessThan(2000)
  })
})

it("the vulnerability annotator shows no password of a package's URL", async () => {
  const version = 'git+https://me:s3cr@et@example.com/a.git#01'
  const path = project({ 'package-lock.json': { lockfileVersion: 1, dependencies: { a: { version } } } })
  const said = [await answer(path), JSON.stringify(await unaskedIn(path))].join()
  expect(said).toContain('a git+https://example.com/a.git#01')
  expect(said).not.toContain('s3cr')
})

it('the vulnerability annotator accepts aliases, workspaces and optional packages in an npm lock file', async () => {
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

it('the vulnerability annotator reports a package archive without a version, but not a missing optional peer dependency', async () => {
  const path = project(
    npm(
      { dependencies: { left: '2.0.0', unnumbered: 'file:unnumbered.tgz' } },
      {
        'node_modules/left': { version: '2.0.0' },
        'node_modules/unnumbered': { resolved: 'file:unnumbered.tgz' },
        'node_modules/absent': { optional: true, peer: true },
      },
    ),
  )
  expect(await unaskedIn(path)).toEqual([
    { reason: 'source', what: 'unnumbered without a version', file: 'package-lock.json' },
  ])
  expect(names()).toEqual(['left@2.0.0'])
})

it("the vulnerability annotator can ask OSV about every package in this repository's package-lock.json", async () => {
  const path = project({})
  copyFileSync(join(import.meta.dirname, '../../package-lock.json'), join(path, 'package-lock.json'))
  expect(await unaskedIn(path)).toEqual([])
})
