import * as v from 'valibot'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import type { Annotator } from '../annotators/annotator.js'
import { keyOf, readBuild, unique } from './build.js'
import { given, isFolder, pathOption } from './file.js'
import type { Package, PackageName } from './locks/package.js'
import { packagesOf } from './sbom-build.js'
import { readSbom, type SbomDocument } from './sbom-document.js'
import { assertSchema } from './sbom-schema.js'

/** SBOM to check, and the build that it must match. */
export interface SbomInput {
  readonly sbomPath?: string | undefined
  /** Folder with the lock files of the build, or an SBOM of it from another tool. Default: the process' directory. */
  readonly buildPath?: string | undefined
}

/** Requirements of `sbom`, and paths for calls that give none. */
export interface SbomOptions extends SbomInput {
  /** Required format. Default: either. */
  readonly type?: 'spdx' | 'cyclonedx' | undefined
  /** Required version: `SPDX-2.2`, `SPDX-2.3`, or CycloneDX's `1.4`, `1.5`, `1.6`. Default: any of these. */
  readonly version?: string | undefined
  /** Packages that the SBOM may omit: `dev` are packages that only development needs, as far as lock files mark them. */
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
 * Makes the annotator `sbom`: a software bill of materials in JSON conforms to its format's published schema, SPDX or CycloneDX. It lists
 * exactly the packages of the build, as `npm sbom` does. The build is a folder with lock files that `vulnerability` reads, or an SBOM of it
 * from another tool. Packages are compared by ecosystem, name and version, from the package URLs of an SBOM; other versions in it must
 * agree with them. Packages that lock files call optional may be missing, because they are not installed everywhere. The one package that
 * the whole SBOM is about need not be in lock files.
 *
 * The first check of a format compiles its schema, which takes up to a second. Install `ajv` and `ajv-formats` for it, and `sax` for
 * pom.xml. Faults of the SBOM and differences to the build are reported.
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

/** Reads packages. @returns those of the lock files in a folder, or of an SBOM */
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

/**
 * Returns the key of a package with Go's names in lower case: the specification of package URLs demands that, but many tools do not comply.
 */
function listedKeyOf(one: PackageName): string {
  return keyOf(one.ecosystem === 'Go' ? { ...one, name: one.name.toLowerCase() } : one)
}

function some(keys: readonly string[]): string {
  const shown = keys.slice(0, MOST_NAMED).join(', ')
  return `${keys.length}${shown && ` (${shown}${keys.length > MOST_NAMED ? ', …' : ''})`}`
}
