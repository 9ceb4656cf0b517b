import * as v from 'valibot'
import type { Annotator } from '../annotators/annotator.js'
import { AlvariumError, textOf } from '../base/errors.js'
import { readOptions, strict } from '../base/options/schema.js'
import { parsedJson } from '../base/options/written.js'
import { keyOf, readBuild, unique } from './build.js'
import { given, pathOption, readText } from './file.js'
import {
  type Members,
  members,
  type Package,
  type PackageName,
  packageOfPurl,
  text,
} from './locks/package.js'
import { assertSchema } from './sbom-schema.js'

/** Which SBOM is looked at, and what it has to match. */
export interface SbomInput {
  readonly sbomPath?: string | undefined
  /** The folder with the lock files of the build. Default: the process' directory. */
  readonly buildPath?: string | undefined
}

/** What `sbom` demands; paths that every call has in common. */
export interface SbomOptions extends SbomInput {
  /** Default: either. */
  readonly type?: 'spdx' | 'cyclonedx' | undefined
  /** The version that it has to have: `SPDX-2.2`, `SPDX-2.3`, or CycloneDX's `1.4`, `1.5`, `1.6`. Default: any of these. */
  readonly version?: string | undefined
  /** What it may leave out: `dev`, packages that only development needs, as far as lock files tell them apart. */
  readonly omit?: readonly 'dev'[] | undefined
}

const LONGEST = 64 * 1024 * 1024
const MOST_NAMED = 5

const schema = strict({
  type: v.optional(v.picklist(['spdx', 'cyclonedx'], 'spdx or cyclonedx')),
  version: v.optional(v.string('a version such as SPDX-2.3')),
  omit: v.optional(v.array(v.literal('dev', 'dev'), 'an array'), []),
  sbomPath: pathOption,
  buildPath: pathOption,
})

/**
 * `sbom`: a software bill of materials in JSON is what its format's published schema demands, SPDX or CycloneDX, and lists
 * the packages in those lock files of the build that `vulnerability` reads, all of them and no others: `npm sbom` makes such. Packages are compared by
 * ecosystem, name and version, which an SBOM has in package URLs; versions beside these have to agree with them.
 * What lock files call optional may be missing, as it is not installed everywhere. The one package that all of an SBOM is
 * about need not be in lock files.
 *
 * The first check of a format compiles its schema, which takes up to a second. It wants the packages `ajv` and `ajv-formats`
 * beside this one, and for some lock files what `vulnerability` wants. What is wrong with an SBOM, or different from the
 * build, is reported.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 *
 * @example
 * ```ts
 * const sdk = await openSdk({ signingKey, annotators: [sbom({ type: 'spdx', version: 'SPDX-2.3' })], layer: 'cicd', stream })
 * await sdk.create(payload, { sbom: { sbomPath: 'app.spdx.json', buildPath: '/src/app' } }) // or sbom: 'app.spdx.json'
 * ```
 */
export function sbom(options: SbomOptions = {}): Annotator<'sbom', string | SbomInput> {
  const settings = readOptions(schema, options, 'sbom')
  return {
    kind: 'sbom',
    isSatisfied: async ({ input }) => {
      const { sbomPath, buildPath }: SbomInput =
        typeof input === 'string' ? { sbomPath: input } : (input ?? {})
      const path = given('sbom.sbomPath', sbomPath, settings.sbomPath)
      const document = await readSbom(path)
      assertVersion(document, settings)
      await assertSchema(document.format, document.document)
      const { packages } = await readBuild(buildPath ?? settings.buildPath ?? '.')
      assertSame(packagesOf(document), packages, settings.omit.includes('dev'))
      return true
    },
  }
}

function assertVersion({ type, version }: SbomDocument, settings: SbomOptions): void {
  if ((settings.type ?? type) === type && (settings.version ?? version) === version) return
  const expected = [settings.type, settings.version].filter(Boolean).join(' ')
  throw new Error(`SBOM: expected ${expected}, got ${type} ${version.slice(0, 100)}`)
}

function assertSame(listed: readonly PackageName[], built: readonly Package[], isDevOmitted: boolean): void {
  const inSbom = new Set(listed.map(listedKeyOf))
  const inBuild = new Set(built.map(listedKeyOf))
  const unknown = [...inSbom].filter((key) => !inBuild.has(key))
  const needed = built.filter(
    ({ isOptional, isOwn, isDev }) => !isOptional && !isOwn && !(isDev && isDevOmitted),
  )
  const unlisted = unique(needed)
    .map(listedKeyOf)
    .filter((key) => !inSbom.has(key))
  if (unknown.length === 0 && unlisted.length === 0) return
  const got = `${some(unknown)} that are not in the build, and not ${some(unlisted)} that are`
  throw new Error(`SBOM: expected the packages of the build, got ${got}`)
}

/** Package URLs have Go's names in lower case, by their specification; many tools leave them as they are. */
function listedKeyOf(one: PackageName): string {
  return keyOf(one.ecosystem === 'Go' ? { ...one, name: one.name.toLowerCase() } : one)
}

function some(keys: readonly string[]): string {
  const shown = keys.slice(0, MOST_NAMED).join(', ')
  return `${keys.length}${shown && ` (${shown}${keys.length > MOST_NAMED ? ', …' : ''})`}`
}

/** What an SBOM says that something consists of. */
interface SbomDocument {
  readonly type: 'spdx' | 'cyclonedx'
  /** As it says itself: `SPDX-2.3`, `1.5`. */
  readonly version: string
  /** To find its schema by: `SPDX-2.3`, `CycloneDX 1.5`. */
  readonly format: string
  readonly document: Members
}

/** @throws Error when it is neither SPDX nor CycloneDX in JSON, or has a name twice, of which another reader may take the other one */
async function readSbom(path: string): Promise<SbomDocument> {
  const json = await readText(path, LONGEST)
  const document = members(await parsedJson(json, 'SBOM').catch(noJson), 'SBOM')
  if (document['spdxVersion'] !== undefined) {
    const version = text(document['spdxVersion'], 'spdxVersion')
    return { type: 'spdx', version, format: version, document }
  }
  if (document['bomFormat'] !== 'CycloneDX')
    throw new Error('SBOM: expected SPDX or CycloneDX in JSON, got neither')
  const version = text(document['specVersion'], 'specVersion')
  return { type: 'cyclonedx', version, format: `CycloneDX ${version}`, document }
}

function noJson(cause: unknown): never {
  if (cause instanceof AlvariumError) throw cause
  throw new Error(`SBOM: expected SPDX or CycloneDX in JSON, got: ${textOf(cause)}`, { cause })
}

/**
 * The packages that it lists, without the one that all of it is about. The document has been checked against its schema.
 *
 * @throws Error when one has no package URL, by which alone it is known in lock files, or another version beside it
 */
function packagesOf({ type, document }: SbomDocument): readonly PackageName[] {
  return type === 'spdx' ? fromSpdx(document) : fromCycloneDx(document)
}

function fromSpdx(document: Members): readonly PackageName[] {
  const described = new Set([
    ...((document['documentDescribes'] ?? []) as readonly string[]),
    ...listOf(document['relationships'])
      .filter(({ spdxElementId, relationshipType }) => {
        return spdxElementId === 'SPDXRef-DOCUMENT' && relationshipType === 'DESCRIBES'
      })
      .map(({ relatedSpdxElement }) => String(relatedSpdxElement)),
  ])
  const packages = listOf(document['packages'])
  const [root, ...others] = packages.filter(({ SPDXID }) => described.has(String(SPDXID)))
  return packages
    .filter((one) => one !== root || others.length > 0)
    .flatMap(({ name, versionInfo: version, externalRefs }) => {
      const purls = listOf(externalRefs).filter(({ referenceType }) => referenceType === 'purl')
      if (purls.length === 0) return named(name, version)
      return purls.map(({ referenceLocator }) => named(name, version, referenceLocator))
    })
}

/** Those in others too, however deep, and in the one that all of it is about. */
function fromCycloneDx({ components, metadata }: Members): readonly PackageName[] {
  const { component } = (metadata ?? {}) as { component?: Members }
  const found = [...listOf(components), ...listOf(component?.['components'])]
  // It grows as it is gone through.
  for (const { components: inner } of found) for (const one of listOf(inner)) found.push(one)
  return found
    .filter(({ type, purl }) => type !== 'file' || purl !== undefined)
    .map(({ name, version, purl }) => named(name, version, purl))
}

/** Names are not compared: `npm sbom` has the alias beside the URL of what is installed under it. */
function named(name: unknown, version: unknown, purl?: unknown): PackageName {
  if (typeof purl !== 'string') {
    throw new Error(`SBOM: expected a package URL for ${JSON.stringify(name)}, got none`)
  }
  const found = packageOfPurl(purl)
  // Neither format demands one. Go's begin with v.
  if (!version || version === found.version || version === `v${found.version}`) return found
  throw new Error(`SBOM: expected the version of ${purl}, got ${JSON.stringify(version)}`)
}

function listOf(value: unknown): readonly Members[] {
  return (value ?? []) as readonly Members[]
}
