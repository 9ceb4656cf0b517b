import { type Members, members, type Package, text } from './locks/package.js'
import { packageOfPurl } from './purl.js'

/** What an SBOM says that something consists of. */
export interface SbomDocument {
  readonly type: 'spdx' | 'cyclonedx'
  /** As it says itself: `SPDX-2.3`, `1.5`. */
  readonly version: string
  /** To find its schema by: `SPDX-2.3`, `CycloneDX 1.5`. */
  readonly format: string
  readonly document: Members
}

/** @throws Error when it is neither SPDX nor CycloneDX in JSON */
export function readSbom(json: string): SbomDocument {
  const document = members(JSON.parse(json), 'SBOM')
  if (document['spdxVersion'] !== undefined) {
    const version = text(document['spdxVersion'], 'spdxVersion')
    return { type: 'spdx', version, format: version, document }
  }
  if (document['bomFormat'] !== 'CycloneDX')
    throw new Error('SBOM: expected SPDX or CycloneDX in JSON, got neither')
  const version = text(document['specVersion'], 'specVersion')
  return { type: 'cyclonedx', version, format: `CycloneDX ${version}`, document }
}

/**
 * The packages that it lists, without the one that all of it is about. The document has been checked against its schema.
 *
 * @throws Error when one has no package URL, by which alone it is known in lock files
 */
export function packagesOf({ type, document }: SbomDocument): readonly Omit<Package, 'ecosystem'>[] {
  return type === 'spdx' ? fromSpdx(document) : fromCycloneDx(listOf(document['components']))
}

function fromSpdx(document: Members) {
  const described = new Set([
    ...((document['documentDescribes'] ?? []) as readonly string[]),
    ...listOf(document['relationships'])
      .filter(({ spdxElementId, relationshipType }) => {
        return spdxElementId === 'SPDXRef-DOCUMENT' && relationshipType === 'DESCRIBES'
      })
      .map(({ relatedSpdxElement }) => String(relatedSpdxElement)),
  ])
  return listOf(document['packages'])
    .filter(({ SPDXID }) => !described.has(String(SPDXID)))
    .map(({ name, externalRefs }) => {
      const purl = listOf(externalRefs).find(({ referenceType }) => referenceType === 'purl')
      return named(name, purl?.['referenceLocator'])
    })
}

function fromCycloneDx(components: readonly Members[]): ReturnType<typeof named>[] {
  return components.flatMap(({ type, name, purl, components: inner }) => {
    const below = fromCycloneDx(listOf(inner))
    return type === 'file' ? below : [named(name, purl), ...below]
  })
}

function named(name: unknown, purl: unknown) {
  if (typeof purl === 'string') return packageOfPurl(purl)
  throw new Error(`SBOM: expected a package URL for ${JSON.stringify(name)}, got none`)
}

function listOf(value: unknown): readonly Members[] {
  return (value ?? []) as readonly Members[]
}
