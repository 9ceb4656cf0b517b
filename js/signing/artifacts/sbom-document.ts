import { AlvariumError, describe, textOf } from '../../foundation/base/errors.js'
import { parseJson } from '../../foundation/base/options/json-or-yaml.js'
import { readText } from './file.js'
import { assertMembers, type Members, text } from './locks/package.js'

const MAX_SBOM_BYTES = 64 * 1024 * 1024

export interface SbomDocument {
  readonly type: 'spdx' | 'cyclonedx'
  /** Version as the document states it: `SPDX-2.3`, `1.5`. */
  readonly version: string
  /** Name and version of the format: `SPDX-2.3`, `CycloneDX 1.5`. */
  readonly format: string
  readonly document: Members
}

/**
 * Component of an SBOM. A component with several package URLs is listed once for each URL. The members are not
 * validated.
 */
export interface Component {
  /** Scope, group or namespace of the component's name, in CycloneDX. */
  readonly group: unknown
  readonly name: unknown
  readonly version: unknown
  readonly purl: unknown
}

/**
 * Reads an SBOM. Refuses repeated member names, because readers differ in which of the values they use.
 *
 * @throws Error if the file is neither SPDX nor CycloneDX in JSON, or repeats a member name
 */
export async function readSbom(path: string): Promise<SbomDocument> {
  const json = await readText(path, MAX_SBOM_BYTES)
  const document = assertMembers(await parseJson(json, 'SBOM').catch(noJson), 'SBOM')
  if (document['spdxVersion'] !== undefined) {
    const version = text(document['spdxVersion'], 'spdxVersion')
    return { type: 'spdx', version, format: version, document }
  }
  if (document['bomFormat'] !== 'CycloneDX') {
    throw new Error(`SBOM: expected SPDX or CycloneDX in JSON, got other JSON: ${MAKE}`)
  }
  const version = text(document['specVersion'], 'specVersion')
  return { type: 'cyclonedx', version, format: `CycloneDX ${version}`, document }
}

const MAKE = 'npm sbom --sbom-format cyclonedx > bom.json, or syft dir:. -o cyclonedx-json=bom.json'

function noJson(cause: unknown): never {
  if (cause instanceof AlvariumError) throw cause
  throw new Error(`SBOM: expected SPDX or CycloneDX in JSON, got: ${textOf(cause)}: ${MAKE}`, { cause })
}

/**
 * Lists the components of an SBOM, except the component that the SBOM describes as a whole. Also leaves out
 * files in CycloneDX and Trivy's headings, unless they have a package URL.
 *
 * @throws Error if there is no list of components, or an item of the list is not an object
 */
export function componentsOf({ type, document }: SbomDocument): Component[] {
  return type === 'spdx' ? fromSpdx(document) : fromCycloneDx(document)
}

function fromSpdx(document: Members): Component[] {
  const packages = listOf(document['packages'], 'packages')
  const described = describedIn(document)
  const [root, ...others] = packages.filter(({ SPDXID }) => described.has(SPDXID))
  return packages
    .filter((one) => one !== root || others.length > 0)
    .flatMap(({ SPDXID, name, versionInfo: version, externalRefs }) => {
      const refs = listOf(externalRefs ?? [], 'externalRefs')
      const purls = refs.filter(({ referenceType }) => referenceType === 'purl')
      if (purls.length === 0 && TRIVY_HEADING.test(String(SPDXID))) return []
      const common = { group: undefined, name, version }
      if (purls.length === 0) return { ...common, purl: undefined }
      return purls.map(({ referenceLocator }) => ({ ...common, purl: referenceLocator }))
    })
}

function describedIn(document: Members): ReadonlySet<unknown> {
  const { documentDescribes = [], relationships = [] } = document
  if (!Array.isArray(documentDescribes)) throw new Error('documentDescribes: expected an array')
  const related = listOf(relationships, 'relationships').filter(
    ({ spdxElementId, relationshipType }) =>
      spdxElementId === 'SPDXRef-DOCUMENT' && relationshipType === 'DESCRIBES',
  )
  return new Set([...documentDescribes, ...related.map(({ relatedSpdxElement }) => relatedSpdxElement)])
}

/** Lists components at any depth, including those inside the component that the SBOM describes as a whole. */
function fromCycloneDx({ components, metadata = {} }: Members): Component[] {
  const { component = {} } = assertMembers(metadata, 'metadata')
  const inRoot = assertMembers(component, 'metadata.component')['components']
  const found = [...listOf(components, 'components'), ...listOf(inRoot ?? [], 'components')]
  // The loop also visits the items that it appends.
  for (const { components: inner = [] } of found) {
    for (const one of listOf(inner, 'components')) found.push(one)
  }
  return found
    .filter((one) => one['purl'] !== undefined || !(one['type'] === 'file' || isTrivyHeading(one)))
    .map(({ group, name, version, purl }) => ({ group, name, version, purl }))
}

/** Pattern of SPDX ids to skip, because Trivy also lists lock files and the operating system as packages. */
const TRIVY_HEADING = /^SPDXRef-(Application|OperatingSystem)-/

function isTrivyHeading({ properties = [] }: Members): boolean {
  return listOf(properties, 'properties').some(({ name }) => name === 'aquasecurity:trivy:Class')
}

export function listOf(value: unknown, field: string): readonly Members[] {
  if (!Array.isArray(value)) throw new Error(`${field}: expected an array, got ${describe(value)}`)
  return value.map((one) => assertMembers(one, field))
}
