import { printable, quote, shownPath } from '../../foundation/base/text/text.js'
import type { Package, PackageName, UncheckedPart } from './locks/package.js'
import type { Project } from './project.js'
import { type Component, componentsOf, readSbom, type SbomDocument } from './sbom-document.js'

const READABLE = /^(SPDX-2\.[23]|CycloneDX 1\.([4-9]|\d\d))$/

/**
 * Reads an SBOM. Returns the packages about which OSV can be queried, and the components about which it cannot.
 *
 * @throws Error if the SBOM cannot be read
 */
export async function readSbomProject(path: string): Promise<Project> {
  const sbom = await readSbom(path)
  if (!READABLE.test(sbom.format)) {
    throw new Error(
      `SBOM: expected SPDX-2.2, SPDX-2.3 or CycloneDX 1.4 or later, got ${printable(sbom.format.slice(0, 100))}`,
    )
  }
  const [packages, gaps]: [Package[], UncheckedPart[]] = [[], []]
  const file = shownPath(path)
  for (const component of componentsOf(sbom)) {
    const found = namedIn(component)
    if (found && isKnownToOsv(found)) packages.push({ ...found })
    const reason = reasonOf(component, found)
    if (reason) gaps.push({ reason, what: describeComponent(component), file })
  }
  return { packages, gaps }
}

function reasonOf({ purl }: Component, found: PackageName | undefined): UncheckedPart['reason'] | undefined {
  if (!found) return 'purl'
  if (!isKnownToOsv(found)) return 'ecosystem'
  return isFromElsewhere(String(purl)) ? 'source' : undefined
}

/** Describes a component in at most 300 characters, because an SBOM may have a million components. */
function describeComponent({ name, version, purl }: Component): string {
  const text = typeof purl === 'string' ? purl.replace(/[?#].*$/s, '') : `${name} ${version ?? ''}`
  return printable(text.slice(0, 300).trim())
}

function namedIn(component: Component): PackageName | undefined {
  try {
    return packageOf(component)
  } catch {
    return undefined
  }
}

/**
 * Returns the packages of an SBOM.
 *
 * @throws Error if a component has no package URL, or states a version other than that in the URL. Only the URL
 * identifies the package
 */
export const packagesOf = (sbom: SbomDocument): PackageName[] => componentsOf(sbom).map(packageOf)

function packageOf({ group, name, version, purl }: Component): PackageName {
  if (typeof purl !== 'string') {
    throw new Error(`SBOM: needs a package URL for ${JSON.stringify(name)}`)
  }
  const found = packageOfPurl(purl)
  // Accept a missing version, because neither SPDX nor CycloneDX requires one. Accept a `v` before it, as in Go.
  if (!version || version === found.version || version === `v${found.version}`) {
    return { ...found, name: withCapitals(found.name, [name, `${group}/${name}`]) }
  }
  throw new Error(`SBOM: expected the version of ${purl}, got ${JSON.stringify(version)}`)
}

/**
 * Returns the name with its capital letters. Package URLs have many names in lower case, but OSV spells them as the
 * registry does. The component's name has the capital letters, too, unless it is an alias, as in SBOMs of npm.
 */
function withCapitals(name: string, candidates: readonly unknown[]): string {
  const match = candidates.find((one) => typeof one === 'string' && one.toLowerCase() === name.toLowerCase())
  return typeof match === 'string' ? match : name
}

/**
 * OSV's names of ecosystems, by the type in package URLs (https://github.com/package-url/purl-spec). Linux
 * distributions are not included, because OSV identifies their packages by the source package, and a package URL by the
 * binary one.
 */
const ECOSYSTEMS: ReadonlyMap<string, string> = new Map([
  ['cargo', 'crates.io'],
  ['composer', 'Packagist'],
  ['cran', 'CRAN'],
  ['gem', 'RubyGems'],
  ['golang', 'Go'],
  ['hackage', 'Hackage'],
  ['hex', 'Hex'],
  ['maven', 'Maven'],
  ['npm', 'npm'],
  ['nuget', 'NuGet'],
  ['pub', 'Pub'],
  ['pypi', 'PyPI'],
])
const OSV_NAMES: ReadonlySet<string> = new Set(ECOSYSTEMS.values())

/** Returns whether OSV knows an ecosystem. For an unknown one, OSV responds as if there were no vulnerabilities. */
const isKnownToOsv = ({ ecosystem }: PackageName): boolean => OSV_NAMES.has(ecosystem)

const isFromElsewhere = (purl: string): boolean => /[?&](vcs_url|download_url|repository_url)=/i.test(purl)

/** Parses a package URL into a package. Its ecosystem is OSV's name, or the URL's type if OSV has no name for it. */
function packageOfPurl(purl: string): PackageName {
  // Use the last @ after the last slash, because names and scopes may contain an unescaped @.
  const [, type = '', path = '', version] =
    /^pkg:\/*([a-z][a-z0-9.+-]*)\/([^?#]+)@([^?#@/]+)(?:[?#]|$)/i.exec(purl) ?? []
  const parts = version && decode([version, ...path.split('/').filter(Boolean)])
  if (!parts) throw new Error(`expected a package URL with a version, got ${quote(purl)}`)
  const [of = '', ...segments] = parts
  return withOsvNames(type.toLowerCase(), segments, of)
}

function decode(parts: readonly string[]): string[] | undefined {
  try {
    return parts.map(decodeURIComponent)
  } catch {
    return undefined
  }
}

function withOsvNames(type: string, segments: readonly string[], version: string): PackageName {
  const ecosystem = ECOSYSTEMS.get(type) ?? type
  const name = segments.join(type === 'maven' ? ':' : '/')
  return { ecosystem, name, version: type === 'golang' ? version.replace(/^v/, '') : version }
}
