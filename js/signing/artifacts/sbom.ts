import * as v from 'valibot'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { quote } from '../../foundation/base/text/text.js'
import type { Annotator } from '../annotators/annotator.js'
import { choosePath, isFolder, pathOption } from './file.js'
import type { Package, PackageName } from './locks/package.js'
import { packageKey, readProject, uniquePackages } from './project.js'
import { readSbom, type SbomDocument } from './sbom-document.js'
import { packagesOf } from './sbom-project.js'

/** Path of the SBOM to check, and path of the build that it must describe. */
export interface SbomInput {
  readonly sbomPath?: string | undefined
  /** Folder with the lock files of the build, or an SBOM of it from another tool. Default: the working directory. */
  readonly buildPath?: string | undefined
}

/** Options of `sbom`: the required format, and default paths for calls without paths. */
export interface SbomOptions extends SbomInput {
  /** Required format. Default: SPDX or CycloneDX. */
  readonly type?: 'spdx' | 'cyclonedx' | undefined
  /** Required version: `SPDX-2.2`, `SPDX-2.3`, or CycloneDX's `1.4`, `1.5`, `1.6`. Default: any of them. */
  readonly version?: string | undefined
  /** Packages that the SBOM may omit. `dev`: packages that lock files mark as needed only for development. */
  readonly omit?: readonly 'dev'[] | undefined
}

const MAX_LISTED_PACKAGES = 5

const schema = strict({
  type: v.optional(v.picklist(['spdx', 'cyclonedx'], 'spdx or cyclonedx')),
  version: v.optional(v.string('a version such as SPDX-2.3')),
  omit: v.optional(v.array(v.literal('dev', 'dev'), 'an array'), []),
  sbomPath: pathOption,
  buildPath: pathOption,
})

/**
 * Creates the annotator `sbom`: a software bill of materials in JSON conforms to the published schema of its format,
 * SPDX or CycloneDX. It must list exactly the packages of the build, as `npm sbom` does. The build is a folder with
 * lock files that `vulnerability` reads, or an SBOM from another tool. Packages are compared by ecosystem, name and
 * version, which an SBOM states in package URLs. The version of a component must agree with that in its URL. Packages
 * that lock files mark as optional may be missing, because they are not installed everywhere. The package that the SBOM
 * describes as a whole need not be in lock files.
 *
 * The first check of a format compiles its schema, which takes up to a second. Faults of the SBOM and
 * differences from the build are reported.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the invalid option
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
      const path = choosePath('sbom.sbomPath', sbomPath, settings.sbomPath)
      const document = await readSbom(path)
      assertVersion(document, settings)
      await assertSchema(document.format, document.document)
      const packages = await packagesAt(buildPath ?? settings.buildPath ?? '.')
      assertSamePackages(packagesOf(document), packages, settings.omit.includes('dev'))
      return true
    },
  }
}

async function packagesAt(path: string): Promise<readonly Package[]> {
  if (await isFolder(path)) return (await readProject(path)).packages
  return packagesOf(await readSbom(path))
}

function assertVersion({ type, version }: SbomDocument, settings: SbomOptions): void {
  if ((settings.type ?? type) === type && (settings.version ?? version) === version) return
  const expected = [settings.type, settings.version].filter(Boolean).join(' ')
  throw new Error(`SBOM: expected ${expected}, got ${type} ${version.slice(0, 100)}`)
}

function assertSamePackages(
  listed: readonly PackageName[],
  built: readonly Package[],
  isDevOmitted: boolean,
): void {
  const inSbom = new Set(listed.map(listedKeyOf))
  const inBuild = new Set(built.map(listedKeyOf))
  const unknown = [...inSbom].filter((key) => !inBuild.has(key))
  const needed = built.filter(
    ({ isOptional, isOwn, isDev }) => !isOptional && !isOwn && !(isDev && isDevOmitted),
  )
  const unlisted = uniquePackages(needed)
    .map(listedKeyOf)
    .filter((key) => !inSbom.has(key))
  if (unknown.length === 0 && unlisted.length === 0) return
  const got = `${summarize(unknown)} that are not in the build, and not ${summarize(unlisted)} that are`
  throw new Error(`SBOM: expected the packages of the build, got ${got}`)
}

/**
 * Returns the text by which packages are compared. Go names are in lower case, as package URLs require,
 * because some tools keep capitals.
 */
function listedKeyOf(one: PackageName): string {
  return packageKey(one.ecosystem === 'Go' ? { ...one, name: one.name.toLowerCase() } : one)
}

function summarize(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_LISTED_PACKAGES).join(', ')
  return `${keys.length}${shown && ` (${shown}${keys.length > MAX_LISTED_PACKAGES ? ', …' : ''})`}`
}

/** File names of the schemas by format. `REFERENCED_FILES` lists the schemas to which these schemas refer. */
const FILES: Readonly<Record<string, string>> = {
  'SPDX-2.2': 'spdx-2.2',
  'SPDX-2.3': 'spdx-2.3',
  'CycloneDX 1.4': 'cyclonedx-1.4',
  'CycloneDX 1.5': 'cyclonedx-1.5',
  'CycloneDX 1.6': 'cyclonedx-1.6',
}
const REFERENCED_FILES = ['jsf-0.82.SNAPSHOT.schema.json', 'spdx.SNAPSHOT.schema.json']

type Validate = ((document: unknown) => boolean) & { errors?: unknown }

const validators = new Map<string, Promise<(document: unknown) => string>>()

/**
 * Asserts that a document conforms to the published schema of its format.
 *
 * @param format - `SPDX-2.3`, `CycloneDX 1.5`
 */
async function assertSchema(format: string, document: unknown): Promise<void> {
  const file = FILES[format]
  if (file === undefined || !Object.hasOwn(FILES, format)) {
    throw new Error(`SBOM: expected ${Object.keys(FILES).join(', ')}, got ${quote(format)}`)
  }
  const validate = validators.get(file) ?? compile(file)
  validators.set(file, validate)
  validate.catch(() => validators.delete(file))
  const wrong = (await validate)(document)
  if (wrong !== '') throw new Error(`SBOM: expected ${format} as published, got ${wrong}`)
}

/** Compiles a schema. @returns a function that describes the faults of a document; an empty text if it is valid */
async function compile(file: string): Promise<(document: unknown) => string> {
  const [{ Ajv }, { default: formats }, { schemas }] = await Promise.all([
    import('ajv'),
    import('ajv-formats'),
    import('./schemas.js'),
  ])
  const ajv = new Ajv({ strict: false })
  formats.default(ajv)
  ajv.removeKeyword(uniqueItems.keyword).addKeyword(uniqueItems)
  const schema = (name: string) => JSON.parse(schemas[name] ?? '')
  for (const name of REFERENCED_FILES) {
    ajv.addSchema(schema(name.replace('.json', '')), `http://cyclonedx.org/schema/${name}`)
  }
  const validate: Validate = ajv.compile(schema(file))
  return (document) => (validate(document) ? '' : ajv.errorsText(validate.errors as typeof ajv.errors))
}

/** Numbering of the values of one JSON document: equal values get equal numbers. Each value is visited once. */
class Identities {
  readonly #numbers = new Map<string, number>()
  readonly #known = new Map<object, number>()

  of(value: unknown): number {
    if (typeof value !== 'object' || value === null) return this.#numberOf(JSON.stringify(value))
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const number = this.#numberOf(Array.isArray(value) ? this.#list(value) : this.#members(value))
    this.#known.set(value, number)
    return number
  }

  #list(items: readonly unknown[]): string {
    return `[${items.map((item) => this.of(item))}]`
  }

  #members(object: object): string {
    const members = Object.entries(object).map(([name, value]) => `${JSON.stringify(name)}:${this.of(value)}`)
    return `{${members.sort()}}`
  }

  #numberOf(text: string): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size
    this.#numbers.set(text, number)
    return number
  }
}

const documents = new WeakMap<object, Identities>()

/** Keyword `uniqueItems` of JSON Schema, in linear time. ajv's own keyword compares each item with all others. */
const uniqueItems = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: { message: 'must NOT have items that are the same' },
  validate: (isDemanded: boolean, items: readonly unknown[], _: unknown, at?: { rootData: object }) => {
    if (!isDemanded || items.length < 2 || !at) return true
    const identities = documents.get(at.rootData) ?? new Identities()
    documents.set(at.rootData, identities)
    return new Set(items.map((item) => identities.of(item))).size === items.length
  },
} as const
