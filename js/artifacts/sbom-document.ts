import { type Members, members, type Named, packageOfPurl, text } from './locks/package.js'

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
 * @throws Error when one has no package URL, by which alone it is known in lock files, or another version beside it
 */
export function packagesOf({ type, document }: SbomDocument): readonly Named[] {
  return type === 'spdx' ? fromSpdx(document) : fromCycloneDx(document)
}

function fromSpdx(document: Members): readonly Named[] {
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
function fromCycloneDx({ components, metadata }: Members): readonly Named[] {
  const { component } = (metadata ?? {}) as { component?: Members }
  const found = [...listOf(components), ...listOf(component?.['components'])]
  // It grows as it is gone through.
  for (const { components: inner } of found) for (const one of listOf(inner)) found.push(one)
  return found
    .filter(({ type, purl }) => type !== 'file' || purl !== undefined)
    .map(({ name, version, purl }) => named(name, version, purl))
}

/** Names are not compared: `npm sbom` has the alias beside the URL of what is installed under it. */
function named(name: unknown, version: unknown, purl?: unknown): Named {
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
