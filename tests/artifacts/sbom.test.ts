import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SbomOptions, sbom } from 'alvarium-artifacts'
import { afterAll, describe, expect, it } from 'vitest'
import { answerOf } from '../support/answer.js'
import { codeOf } from '../support/failure.js'

const vectors = join(import.meta.dirname, '../vectors')
const locks = (tool: string) => join(vectors, 'locks', tool)
const folder = mkdtempSync(join(tmpdir(), 'alvarium-sbom-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Spdx {
  spdxVersion: string
  documentDescribes?: string[]
  packages: {
    name: string
    SPDXID: string
    versionInfo: string
    externalRefs: { referenceCategory: string; referenceType: string; referenceLocator: string }[]
  }[]
  relationships: { spdxElementId: string; relatedSpdxElement: string; relationshipType: string }[]
}
interface CycloneDx {
  $schema: string
  specVersion: string
  components: {
    name: string
    version: string
    purl?: string
    type: string
    scope?: string
    components?: unknown
  }[]
}
const read = (name: string) => readFileSync(join(vectors, 'sbom', name), 'utf8')
const spdx = (): Spdx => JSON.parse(read('npm.spdx.json'))
const cyclonedx = (): CycloneDx => JSON.parse(read('npm.cdx.json'))

/** Returns the answer of `sbom` on a document for the build whose lock file is in that folder. */
async function answer(document: object | string, options: SbomOptions = {}, buildPath = locks('npm')) {
  const sbomPath = join(folder, 'sbom.json')
  writeFileSync(sbomPath, typeof document === 'string' ? document : JSON.stringify(document))
  return answerOf(sbom(options), { sbomPath, buildPath })
}

/** Returns an SPDX document of exactly these packages. */
function listing(...purls: string[]): Spdx {
  const document = spdx()
  const [root, one] = document.packages
  if (!root || !one) throw new Error('expected packages')
  const packages = purls.map((purl, at) => ({
    ...one,
    name: purl,
    versionInfo: decodeURIComponent(/@([^?]*)/.exec(purl)?.[1] ?? ''),
    SPDXID: `SPDXRef-${at}`,
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
  }))
  return { ...document, packages: [root, ...packages], relationships: [] }
}

describe('the sbom annotator', () => {
  it.each([
    ['SPDX', read('npm.spdx.json'), { type: 'spdx', version: 'SPDX-2.3' }],
    ['CycloneDX', read('npm.cdx.json'), { type: 'cyclonedx', version: '1.5' }],
  ] as const)(
    'is satisfied by the SBOM in %s format that npm sbom writes for the build',
    async (_, document, options) => {
      expect(await answer(document)).toBe(true)
      expect(await answer(document, options)).toBe(true)
    },
  )

  it.each([
    [
      'maven',
      [
        'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1?type=jar',
        'pkg:maven/com.google.guava/guava@29.0-jre',
        'pkg:maven/com.example/sibling@7',
      ],
    ],
    [
      'go',
      [
        'pkg:golang/golang.org/x/text@v0.3.0',
        'pkg:golang/github.com/gorilla/websocket@v1.4.0',
        'pkg:golang/github.com/dgrijalva/jwt-go@v3.2.0%2Bincompatible',
        'pkg:golang/github.com/fork/two@v1.2.1',
        'pkg:golang/github.com/pinned/three@v1.0.1',
        'pkg:golang/github.com/kept/four@v0.0.0-20190308221718-c2843e01d9a2',
      ],
    ],
  ])('computes the package URLs of a build with %s', async (tool, purls) => {
    expect(await answer(listing(...purls), {}, locks(tool))).toBe(true)
    expect(await answer(listing(...purls.slice(1)), {}, locks(tool))).toContain('and not 1 (')
  })

  it('matches Go modules by package URLs in lower case, and by names as the go.mod spells them', async () => {
    const buildPath = join(folder, 'upper')
    mkdirSync(buildPath, { recursive: true })
    writeFileSync(join(buildPath, 'go.mod'), 'module m\ngo 1.22\nrequire github.com/BurntSushi/toml v1.3.2\n')
    for (const name of ['BurntSushi', 'burntsushi']) {
      expect(await answer(listing(`pkg:golang/github.com/${name}/toml@v1.3.2`), {}, buildPath)).toBe(true)
    }
    expect(await answer(listing('pkg:golang/github.com/other/toml@v1.3.2'), {}, buildPath)).toContain(
      'not in',
    )
  })

  it('reads a package URL from its end, because names and scopes may contain an unescaped @', async () => {
    const [buildPath, lock] = [join(folder, 'scoped'), { '': {}, 'node_modules/@s/a': { version: '1.0.0' } }]
    mkdirSync(buildPath, { recursive: true })
    writeFileSync(join(buildPath, 'package-lock.json'), JSON.stringify({ packages: lock }))
    const listed = (purl: string) => {
      const components = [{ type: 'library', name: 'a', purl }]
      return answer({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components }, {}, buildPath)
    }
    for (const scope of ['@s', '%40s']) expect(await listed(`pkg:npm/${scope}/a@1.0.0?x=@#@`)).toBe(true)
    expect(await listed('pkg:npm/%40s/a@1.0.0@2.0.0')).toContain('(npm @s/a@1.0.0 2.0.0)')
    expect(await listed('pkg:npm/@s/a')).toContain('expected a package URL with a version')
  })

  it('accepts SPDX 2.2, and finds the described package by its relationship', async () => {
    const document = JSON.parse(JSON.stringify(spdx()).replaceAll('PACKAGE-MANAGER', 'PACKAGE_MANAGER'))
    document.spdxVersion = 'SPDX-2.2'
    const said = {
      copyrightText: 'NOASSERTION',
      licenseConcluded: 'NOASSERTION',
      primaryPackagePurpose: undefined,
    }
    document.packages = document.packages.map((one: object) => ({ ...one, ...said }))
    expect(await answer(document, { version: 'SPDX-2.2' })).toBe(true)
    const [root] = document.documentDescribes
    delete document.documentDescribes
    const described = { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES' }
    document.relationships.push({ ...described, relatedSpdxElement: root })
    expect(await answer(document)).toBe(true)
  })

  it.each(['1.4', '1.6'])('accepts CycloneDX %s', async (version) => {
    const document = {
      ...cyclonedx(),
      specVersion: version,
      $schema: `http://cyclonedx.org/schema/bom-${version}.schema.json`,
    }
    const { metadata } = document as never as { metadata: { lifecycles?: unknown } }
    if (version === '1.4') delete metadata.lifecycles
    expect(await answer(document)).toBe(true)
  })

  it('accepts as buildPath the SBOM of another tool in place of lock files', async () => {
    const buildPath = join(vectors, 'sbom/npm.cdx.json')
    expect(await answer(spdx(), {}, buildPath)).toBe(true)
    const less = { ...spdx(), packages: spdx().packages.filter(({ name }) => name !== 'leven') }
    expect(await answer(less, {}, buildPath)).toContain('and not 1 (npm leven 4.0.0) that are')
    expect(await answer(spdx(), {}, join(vectors, 'sbom/syft.cdx.json'))).toContain('needs a package URL')
  })

  // claim: threats-49
  it('reports a package that is not in the build, a missing package, and a package of a different version', async () => {
    const [more, less, other] = [spdx(), spdx(), spdx()]
    more.packages.push({ ...(more.packages.at(-1) as Spdx['packages'][number]), SPDXID: 'SPDXRef-x' })
    ;(more.packages.at(-1) as Spdx['packages'][number]).versionInfo = '1.0.0'
    ;(more.packages.at(-1) as Spdx['packages'][number]).externalRefs = [
      { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: 'pkg:npm/evil@1.0.0' },
    ]
    expect(await answer(more)).toContain(
      'got 1 (npm evil 1.0.0) that are not in the build, and not 0 that are',
    )
    less.packages = less.packages.filter(({ name }) => name !== 'leven')
    expect(await answer(less)).toContain('and not 1 (npm leven 4.0.0) that are')
    const changed = JSON.parse(JSON.stringify(other).replaceAll('4.0.0', '4.0.1'))
    expect(await answer(changed)).toContain('npm leven 4.0.1')
  })

  it('accepts a missing optional package, and a missing development package if its options allow that', async () => {
    const without = (gone: string) => ({
      ...cyclonedx(),
      components: cyclonedx().components.filter(({ name }) => name !== gone),
      dependencies: [],
    })
    expect(await answer(without('fsevents'))).toBe(true)
    expect(await answer(without('@types/ms'))).toContain('npm @types/ms 0.7.31')
    expect(await answer(without('@types/ms'), { omit: ['dev'] })).toBe(true)
    expect(await answer(without('leven'), { omit: ['dev'] })).toContain('npm leven 4.0.0')
  })

  it.each([
    ['optional', { 'node_modules/c/node_modules/b': { version: '1.0.0', optional: true } }],
    ['for development', { 'node_modules/c/node_modules/b': { version: '1.0.0', dev: true } }],
    ["the project's own", { 'tools/b': { name: 'b', version: '1.0.0' } }],
  ])(
    'reports a missing package that is %s in one place of the lock file and needed in another',
    async (_, place) => {
      const needed = { '': { name: 'app', version: '1.0.0' }, 'node_modules/b': { version: '1.0.0' } }
      const lock = { lockfileVersion: 3, packages: { ...needed, ...place } }
      writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
      const document = { ...cyclonedx(), components: [], dependencies: [] }
      const said = await answer(document, { omit: ['dev'] }, folder)
      rmSync(join(folder, 'package-lock.json'))
      expect(said).toContain('and not 1 (npm b 1.0.0) that are')
    },
  )

  it('compares components nested in a file component, and ignores the file itself', async () => {
    const document = cyclonedx()
    const [last] = document.components.splice(-1)
    document.components.push({ type: 'file', name: 'main.js', version: '', components: [last] })
    expect(await answer(document)).toBe(true)
  })

  it('treats only one described package of an SPDX document as the application, and all others as parts', async () => {
    const document = listing('pkg:npm/evil@6.6.6')
    document.documentDescribes?.push('SPDXRef-0')
    expect(await answer(document)).toContain('got 1 (npm evil 6.6.6) that are not in the build')
    const twice = listing('pkg:npm/evil@6.6.6')
    for (const one of twice.packages) one.SPDXID = 'SPDXRef-0'
    expect(await answer({ ...twice, documentDescribes: ['SPDXRef-0'] })).toContain('npm evil 6.6.6')
  })

  it.each([
    ['whose subject is not the document', { spdxElementId: 'SPDXRef-1', relationshipType: 'DESCRIBES' }],
    ['of a type other than DESCRIBES', { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'CONTAINS' }],
  ])(
    'treats the package that is the object of an SPDX relationship %s as a part of the build',
    async (_, related) => {
      const document = listing('pkg:npm/evil@6.6.6')
      delete document.documentDescribes
      document.relationships = [{ ...related, relatedSpdxElement: 'SPDXRef-0' }]
      expect(await answer(document)).toContain('npm evil 6.6.6')
      document.relationships.push({
        spdxElementId: 'SPDXRef-DOCUMENT',
        relationshipType: 'DESCRIBES',
        relatedSpdxElement: 'SPDXRef-0',
      })
      expect(await answer(document)).not.toContain('npm evil 6.6.6')
    },
  )

  it('compares every package URL with the build, even those of files and of the application', async () => {
    const evil = { type: 'file', name: 'evil', version: '6.6.6', purl: 'pkg:npm/evil@6.6.6' }
    const reason = 'got 1 (npm evil 6.6.6) that are not in the build'
    expect(await answer({ ...cyclonedx(), components: [...cyclonedx().components, evil] })).toContain(reason)
    const component = { type: 'application', name: 'app', components: [evil] }
    expect(await answer({ ...cyclonedx(), metadata: { component } })).toContain(reason)
    const both = spdx()
    for (const { externalRefs } of both.packages.slice(-1)) {
      externalRefs.push({ ...externalRefs[0], referenceLocator: 'pkg:npm/is-number@6.6.6' } as never)
    }
    expect(await answer(both)).toContain('expected the version of pkg:npm/is-number@6.6.6')
  })

  it("compares the version in a package URL with the component's own version, if it has one", async () => {
    const saying = (version?: string) =>
      JSON.parse(JSON.stringify(cyclonedx()), (key, value) => {
        return key === 'components' ? value.map((one: object) => ({ ...one, version })) : value
      })
    expect(await answer(saying(undefined))).toBe(true)
    expect(await answer(saying('9.9.9'))).toContain(
      'expected the version of pkg:npm/%40types/ms@0.7.31, got "9.9.9"',
    )
  })

  // claim: threats-50
  it.each<[string, object | string, string]>([
    ['not JSON', '<sbom/>', `SBOM: expected SPDX or CycloneDX in JSON, got: Unexpected token '<'`],
    ['a truncated file', read('npm.cdx.json').slice(0, 500), 'SPDX or CycloneDX in JSON, got: '],
    [
      'a repeated list, of which readers may use different ones',
      read('npm.cdx.json').replace('{', '{"components":[],'),
      'SBOM: expected each name once, got "components" twice, in line',
    ],
    [
      'more lists and objects than the limit',
      `{"bomFormat":"CycloneDX","x":[${'{},'.repeat(100_000)}{}]}`,
      'lists and objects, got more',
    ],
    ['a JSON array', [], 'expected an object'],
    ['neither SPDX nor CycloneDX', {}, 'expected SPDX or CycloneDX'],
    ['a version of SPDX without a known schema', { spdxVersion: 'SPDX-3.0' }, 'got "SPDX-3.0"'],
    [
      'a version named like a member of Object.prototype',
      { spdxVersion: 'constructor' },
      'got "constructor"',
    ],
    [
      'SPDX that violates the schema',
      { ...spdx(), packages: [{ name: 'x' }] },
      'expected SPDX-2.3 as published',
    ],
    ['SPDX with an unknown member', { ...spdx(), more: 1 }, 'additional properties'],
    ['CycloneDX that violates the schema', { ...cyclonedx(), components: [{}] }, 'expected CycloneDX 1.5'],
    [
      'CycloneDX with a licence that SPDX does not have',
      {
        ...cyclonedx(),
        components: [{ type: 'library', name: 'x', licenses: [{ license: { id: 'Mine' } }] }],
      },
      'expected CycloneDX 1.5 as published',
    ],
    [
      'CycloneDX with an invalid time',
      { ...cyclonedx(), metadata: { timestamp: 'yesterday' } },
      'must match format "date-time"',
    ],
    [
      'CycloneDX with a component twice, in a different order of members',
      {
        ...cyclonedx(),
        components: [
          { type: 'library', name: 'x' },
          { name: 'x', type: 'library' },
        ],
      },
      'items that are the same',
    ],
    [
      'a package without a URL',
      { ...cyclonedx(), components: [{ type: 'library', name: 'x' }] },
      'needs a package URL for "x"',
    ],
    ['a package URL without a version', listing('pkg:npm/leven'), 'expected a package URL with a version'],
    ['an invalid package URL', listing('leven@4.0.0'), 'expected a package URL'],
    [
      'a package URL whose percent-encoding is not UTF-8',
      { ...cyclonedx(), components: [{ type: 'library', name: 'x', purl: 'pkg:npm/%ff@1.0.0' }] },
      'expected a package URL with a version, got a text of 17 characters',
    ],
  ])('reports an invalid SBOM: %s', async (_, document, reason) => {
    expect(await answer(document)).toContain(reason)
  })

  it('is satisfied by an SBOM of 60,000 components, some nested 500 levels deep', async () => {
    const places = Array.from({ length: 60_000 }, (_, at) => `p${at}`)
    const packages = Object.fromEntries(places.map((name) => [`node_modules/${name}`, { version: '1.0.0' }]))
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...packages } }))
    const all = places.map((name) => ({ type: 'library', name, purl: `pkg:npm/${name}@1.0.0` }))
    const nested = all.slice(0, 500).reduceRight<object[]>((inner, one) => {
      return [
        { ...one, components: inner },
        { type: 'file', name: 'x' },
      ]
    }, all.slice(500))
    const said = await answer({ ...cyclonedx(), components: nested, dependencies: [] }, {}, folder)
    rmSync(join(folder, 'package-lock.json'))
    expect(said).toBe(true)
  })

  it('reports a version or type other than the one in its options', async () => {
    expect(await answer(spdx(), { version: 'SPDX-2.2' })).toContain('expected SPDX-2.2, got spdx SPDX-2.3')
    expect(await answer(spdx(), { type: 'cyclonedx' })).toContain('expected cyclonedx, got spdx')
  })

  it('reports a build without lock files, and a missing SBOM', async () => {
    expect(await answer(spdx(), {}, folder)).toContain('expected one of package-lock.json')
    expect(await answerOf(sbom(), { sbomPath: join(folder, 'absent') })).toContain('ENOENT')
    expect(await answerOf(sbom())).toContain('sbom.sbomPath: needs a path')
  })

  it('reads the paths in its options, or the SBOM path that a call passes as its input', async () => {
    const paths = { sbomPath: join(vectors, 'sbom/npm.spdx.json'), buildPath: locks('npm') }
    expect(await answerOf(sbom(paths))).toBe(true)
    expect(await answerOf(sbom({ buildPath: paths.buildPath }), paths.sbomPath)).toBe(true)
    for (const bad of [{ type: 'swid' }, { omit: ['peer'] }, { path: 'x' }]) {
      expect(await codeOf(() => sbom(bad as never))).toBe('CONFIG_INVALID')
    }
  })
})
