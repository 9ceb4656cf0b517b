import * as v from 'valibot'
import type { Annotator } from '../annotators/annotator.js'
import { readOptions, strict } from '../base/options/schema.js'
import { keyOf, readBuild, unique } from './build.js'
import { given, isFolder, pathOption } from './file.js'
import type { Package, PackageName } from './locks/package.js'
import { packagesOf } from './sbom-build.js'
import { readSbom, type SbomDocument } from './sbom-document.js'
import { assertSchema } from './sbom-schema.js'

/** Which SBOM is looked at, and what it has to match. */
export interface SbomInput {
  readonly sbomPath?: string | undefined
  /** The folder with the lock files of the build, or an SBOM that another tool made of it. Default: the process' directory. */
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
 * the packages of the build, all of them and no others: `npm sbom` makes such. The build is a folder with lock files that
 * `vulnerability` reads, or an SBOM that another tool made of it. Packages are compared by
 * ecosystem, name and version, which an SBOM has in package URLs; versions beside these have to agree with them.
 * What lock files call optional may be missing, as it is not installed everywhere. The one package that all of an SBOM is
 * about need not be in lock files.
 *
 * The first check of a format compiles its schema, which takes up to a second. Install
 * `ajv` and `ajv-formats` for it, and `sax` for pom.xml. What is wrong with an SBOM, or different from the
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
      const packages = await packagesAt(buildPath ?? settings.buildPath ?? '.')
      assertSame(packagesOf(document), packages, settings.omit.includes('dev'))
      return true
    },
  }
}

/** @returns those of the lock files in a folder, or of an SBOM */
async function packagesAt(path: string): Promise<readonly Package[]> {
  if (await isFolder(path)) return (await readBuild(path)).packages
  return packagesOf(await readSbom(path))
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
