import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findVulnerabilities, type VulnerabilityOptions, vulnerability } from 'alvarium-artifacts'
import { afterAll, describe, expect, it } from 'vitest'
import { answerOf } from '../support/answer.js'
import { codeOf } from '../support/failure.js'
import { osvForTests } from '../support/osv.js'

const vectors = join(import.meta.dirname, '../vectors')
const sbomOf = (name: string) => join(vectors, 'sbom', name)
const scanOf = (name: string) => join(vectors, 'scans', `${name}.json`)
const folder = mkdtempSync(join(tmpdir(), 'alvarium-boms-'))
afterAll(() => rmSync(folder, { recursive: true }))

const osv = await osvForTests()

function written(document: object | string): string {
  const path = join(folder, 'document.json')
  writeFileSync(path, typeof document === 'string' ? document : JSON.stringify(document))
  return path
}

const answer = (options: VulnerabilityOptions) =>
  answerOf(vulnerability({ url: osv.url, timeoutMs: 3_600_000, ...options }))
const unaskedIn = async (sbom: string) => {
  const { unasked } = await findVulnerabilities({ sbom }, { url: osv.url })
  return unasked.map(({ reason, what }) => `${reason}: ${what}`)
}
const queries = () =>
  osv.batches
    .flat()
    .map(({ package: { ecosystem, name }, version }) => `${ecosystem} ${name}@${version}`)
    .sort()

const listing = (...components: object[]) =>
  written({ bomFormat: 'CycloneDX', specVersion: '1.6', components })

describe('the vulnerability annotator with an SBOM', () => {
  // claim: annotators-9
  it.each([
    ['npm in CycloneDX', 'npm.cdx.json', 18, 'npm @types/ms@0.7.31'],
    ['npm in SPDX', 'npm.spdx.json', 18, 'npm @types/ms@0.7.31'],
    ['npm in CycloneDX, of this package', 'this.cdx.json', 56, 'npm mqtt@5.16.0'],
    ['npm in SPDX, of this package', 'this.spdx.json', 56, 'npm mqtt@5.16.0'],
    ['Trivy', 'trivy.cdx.json', 2, 'Go github.com/BurntSushi/toml@1.3.2'],
    ['syft in SPDX', 'syft.spdx.json', 2, 'npm JSONStream@1.3.5'],
    ['cdxgen', 'cdxgen.cdx.json', 3, 'Maven com.google.guava:guava@29.0-jre'],
  ])(
    'queries OSV for each package in an SBOM of %s, by the name that OSV uses',
    async (_, name, count, one) => {
      expect(await answer({ sbom: sbomOf(name) })).toBe(true)
      expect(queries()).toHaveLength(count)
      expect(queries()).toContain(one)
      osv.known.set(one, [['GHSA-1']])
      expect(await answer({ sbom: sbomOf(name) })).toBe(false)
    },
  )

  // claim: annotators-10
  it('fails for packages that it cannot look up, such as Linux packages, unless its options accept them', async () => {
    const sbom = sbomOf('syft.cdx.json')
    const said = await answer({ sbom })
    expect(said).toContain('expected to ask about everything, got 2 not asked about')
    expect(said).toContain("accept: ['ecosystem', 'purl']")
    expect(await unaskedIn(sbom)).toEqual([
      'ecosystem: pkg:deb/debian/libssl3@3.0.11-1~deb12u2',
      'purl: debian 12',
    ])
    osv.batches.length = 0
    expect(await answer({ sbom, accept: ['ecosystem', 'purl'] })).toBe(true)
    expect(queries()).toEqual([
      'Maven org.apache.logging.log4j:log4j-core@2.14.1',
      'PyPI Jinja2@3.1.2',
      'crates.io itoa@1.0.9',
    ])
  })

  it('is not satisfied by a vulnerable package, even if it cannot look up the remaining packages', async () => {
    osv.known.set('crates.io itoa@1.0.9', [['RUSTSEC-1']])
    expect(await answer({ sbom: sbomOf('syft.cdx.json') })).toBe(false)
  })

  // claim: annotators-12
  it.each<[string, object, string]>([
    ['without a package URL', { name: 'a', version: '1' }, 'purl: a 1'],
    ['without a version', { name: 'a', purl: 'pkg:npm/a' }, 'purl: pkg:npm/a'],
    ['with two versions', { name: 'a', version: '2', purl: 'pkg:npm/a@1' }, 'purl: pkg:npm/a@1'],
    ['with an invalid package URL', { name: 'a', purl: 'npm:a@1' }, 'purl: npm:a@1'],
    ['with a number for a package URL', { name: 'a', purl: 1 }, 'purl: a'],
    [
      'from a repository',
      { name: 'a', purl: 'pkg:npm/a@1?vcs_url=git%2Bhttps://e.com/a' },
      'source: pkg:npm/a@1',
    ],
    [
      'whose ecosystem OSV does not know',
      { name: 'a', purl: 'pkg:generic/a@1' },
      'ecosystem: pkg:generic/a@1',
    ],
    ['whose name clears the screen', { name: '\u001b[2J' }, 'purl: \ufffd[2J'],
  ])('reports that it could not query OSV for a component %s', async (_, component, what) => {
    expect(await unaskedIn(listing({ type: 'library', ...component }))).toEqual([what])
  })

  it('queries OSV once for each nested component, and not for the main component', async () => {
    const one = (name: string, components?: object[]) => ({ name, purl: `pkg:npm/${name}@1`, components })
    const nested = Array.from({ length: 90 }, (_, at) => `p${at}`).reduceRight<object[]>(
      (inner, name) => [one(name, inner), one('same')],
      [],
    )
    const document = {
      bomFormat: 'CycloneDX',
      specVersion: '1.4',
      metadata: { component: one('root', [one('inner')]) },
      components: nested,
    }
    expect(await answer({ sbom: written(document) })).toBe(true)
    expect(queries()).toHaveLength(92)
    expect(queries()).not.toContain('npm root@1')
  })

  it.each<[string, object | string, string]>([
    ['a lock file', "lockfileVersion: '9.0'", 'npm sbom --sbom-format cyclonedx > bom.json, or syft'],
    ['JSON that is not an SBOM', { lockfileVersion: 3 }, 'got other JSON: npm sbom'],
    [
      'no list of components',
      { bomFormat: 'CycloneDX', specVersion: '1.5' },
      'components: expected an array',
    ],
    ['no list of packages', { spdxVersion: 'SPDX-2.3' }, 'packages: expected an array'],
    [
      'a list of strings',
      { bomFormat: 'CycloneDX', specVersion: '1.5', components: ['a'] },
      'expected an object',
    ],
    ['an old version', { bomFormat: 'CycloneDX', specVersion: '1.3', components: [] }, 'got CycloneDX 1.3'],
    ['SPDX 3.0', { spdxVersion: 'SPDX-3.0', packages: [] }, 'got SPDX-3.0'],
  ])('reports an SBOM file with this content: %s', async (_, document, reason) => {
    expect(await answer({ sbom: written(document) })).toContain(reason)
    expect(osv.batches).toEqual([])
  })

  it('is satisfied by an SBOM of a project without dependencies', async () => {
    expect(await answer({ sbom: listing() })).toBe(true)
  })
})

describe('the vulnerability annotator with results of a scanner', () => {
  // claim: annotators-11
  it.each([
    ['osv-scanner', 'minimist', 2],
    ['trivy', 'jquery', 1],
  ])('reads the results of %s unchanged, and sends no request', async (tool, name, ids) => {
    const { vulnerabilities, unasked } = await findVulnerabilities(
      { results: scanOf(tool) },
      { url: osv.url },
    )
    expect(vulnerabilities).toMatchObject([{ ecosystem: 'npm', name }])
    expect(vulnerabilities.flatMap((one) => one.ids)).toHaveLength(ids)
    expect(unasked).toEqual([])
    expect(await answer({ results: scanOf(tool) })).toBe(false)
    expect(await answer({ results: scanOf(tool), ignore: vulnerabilities.flatMap((one) => one.ids) })).toBe(
      true,
    )
    expect(osv.batches).toEqual([])
  })

  it('fails for results without packages, unless its options accept "unscanned"', async () => {
    for (const [document, hint] of [
      [{ results: [] }, 'osv-scanner with --all-packages'],
      [{ SchemaVersion: 2 }, 'trivy with --scanners vuln'],
      [{ SchemaVersion: 2, Results: [{ Target: 'a', Class: 'secret' }] }, 'trivy with --scanners vuln'],
    ] as const) {
      expect(await answer({ results: written(document) })).toContain(hint)
      expect(await answer({ results: written(document), accept: ['unscanned'] })).toBe(true)
    }
  })

  it('fails for results of an operating system that Trivy has no advisories for', async () => {
    const Metadata = { OS: { Family: 'debian', Name: '8.11', EOSL: true } }
    const results = written({ SchemaVersion: 2, Metadata, Results: [{ Class: 'os-pkgs', Type: 'debian' }] })
    expect(await answer({ results })).toContain('debian 8.11, whose support has ended (ecosystem)')
  })

  it.each<[string, object | string, string]>([
    ['text that is not JSON', 'Total: 0', 'JSON'],
    ['SARIF', { version: '2.1.0', runs: [] }, 'expected results of osv-scanner --format json or trivy'],
    ['a number in place of a package', { results: [{ packages: [1] }] }, 'packages: expected an object'],
    [
      'a number in place of vulnerabilities',
      { results: [{ packages: [{ package: {}, vulnerabilities: 1 }] }] },
      'an array',
    ],
    ['a repeated list', '{"results":[{"packages":[]}],"results":[]}', 'each name once'],
  ])('reports a file of scanner results with this content: %s', async (_, document, reason) => {
    expect(await answer({ results: written(document) })).toContain(reason)
  })
})

it('the vulnerability annotator ignores the SBOM or results in its options if a call passes others', async () => {
  const [sbom, results] = [sbomOf('npm.cdx.json'), scanOf('trivy')]
  expect(await answerOf(vulnerability({ url: osv.url, sbom }), { results })).toBe(false)
  expect(await answerOf(vulnerability({ url: osv.url, results }), { sbom })).toBe(true)
  expect(await answer({ sbom, results })).toContain('got sbom and results')
  expect(await answer({})).toContain('needs path, sbom or results')
  expect(await codeOf(() => vulnerability({ sbom: '' }))).toBe('CONFIG_INVALID')
})

it('the vulnerability annotator refuses the path of a lock file, and names a command that makes an SBOM', async () => {
  const path = join(folder, 'yarn.lock')
  writeFileSync(path, '# yarn lockfile v1\n')
  expect(await answer({ path })).toContain('expected a folder with lock files, got a file: make an SBOM')
  expect(await answer({ path: join(folder, 'none') })).toContain('ENOENT')
})
