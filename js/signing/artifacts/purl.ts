// Package URLs: https://github.com/package-url/purl-spec

import { quote } from '../../foundation/base/text/text.js'
import type { PackageName } from './locks/package.js'

/**
 * OSV's names of the ecosystems whose packages have the same name in package URLs. Packages of Linux distributions are not included: OSV
 * identifies them by their source package, and a package URL by the binary one.
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

/** Returns whether OSV knows the ecosystem: for an unknown one it responds as if there were no vulnerabilities. */
export const isKnownToOsv = ({ ecosystem }: PackageName): boolean => OSV_NAMES.has(ecosystem)

/** Returns whether the qualifiers name a source other than the ecosystem's registry. */
export const isFromElsewhere = (purl: string): boolean =>
  /[?&](vcs_url|download_url|repository_url)=/i.test(purl)

/**
 * Reads the package that a package URL names, with OSV's names of ecosystems. Other types keep the URL's own.
 *
 * @throws Error if it is not a package URL, or has no version
 */
export function packageOfPurl(purl: string): PackageName {
  // Take the last @ after the last slash, because names and scopes may have an unescaped one.
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
