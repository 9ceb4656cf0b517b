export interface Package {
  /** Name of the package's registry at OSV: https://ossf.github.io/osv-schema/ */
  readonly ecosystem: string
  readonly name: string
  readonly version: string
  /** True if the package is not installed everywhere, so that an SBOM may lack it. */
  readonly isOptional?: boolean
  /** True if the package belongs to the project: it is in the same repository, and in no registry. */
  readonly isOwn?: boolean
  readonly isDev?: boolean
  /**
   * True if the package comes from a repository, a URL or a folder. Known vulnerabilities of its name may not
   * apply to it.
   */
  readonly isFromOtherSource?: boolean
}

/**
 * Reason why OSV was not queried about a part of a project:
 *
 * - `transitive`: the file lacks transitive dependencies (pom.xml; go.mod before Go 1.17)
 * - `toolchain`: go.mod does not state the release of Go
 * - `lock-file`: the folder has a lock file that is not read
 * - `unlocked`: the lock file lacks a package that the project declares
 * - `source`: a package comes from a repository, a URL, or a folder outside a Go module, so no registry's version
 *   describes the code
 * - `purl`: a component of an SBOM has no package URL with a version, or states a different version next to the URL
 * - `ecosystem`: OSV does not know the ecosystem in a component's package URL, or Trivy no longer has advisories for it
 * - `unscanned`: the results of a scan list no package
 */
export type UnaskedReason =
  | 'transitive'
  | 'toolchain'
  | 'lock-file'
  | 'unlocked'
  | 'source'
  | 'purl'
  | 'ecosystem'
  | 'unscanned'

/** Part of a project about which OSV was not queried. */
export interface UncheckedPart {
  /** Reason why OSV was not queried about the part. */
  readonly reason: UnaskedReason
  /** Short description of the part of the project. */
  readonly what: string
  /** File that lists the part, or should list it. */
  readonly file: string
}

export type LockGap = Omit<UncheckedPart, 'file'>

export interface LockContents {
  readonly packages: readonly Package[]
  readonly gaps?: readonly LockGap[]
}

/** Function that reads the packages from the text of a lock file. Throws if the text is not a lock file. */
export type LockReader = (text: string) => LockContents | Promise<LockContents>

/** JSON object with members that are not validated yet. */
export type Members = Readonly<Record<string, unknown>>

export function assertMembers(value: unknown, field: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members
  throw new Error(`${field}: expected an object, got ${Array.isArray(value) ? 'an array' : typeof value}`)
}

/** Creates a {@link LockGap} for each package that the package `of` declares, but that is not locked. */
export function unlockedGaps(of: string, names: readonly string[]): LockGap[] {
  return names.map((name) => ({ reason: 'unlocked', what: `${name}, which ${of} declares` }))
}

/** Asserts that a value is a text of at least one character, and returns it. @throws Error for any other value */
export function text(value: unknown, field: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new Error(`${field}: expected text, got ${value === '' ? 'none' : typeof value}`)
}

/** Returns whether OSV can be queried about a package. A package from no registry may have a URL as its version. */
export const isAskable = ({ version, isOwn }: Package): boolean => !isOwn && /^[^:/]+$/.test(version)

/** Returns whether a URL or path is an archive of a third-party package. A folder would belong to the project. */
export const isArchive = (address: string): boolean => /\.(tgz|tar|tar\.gz)(?=[#:(]|$)/.test(address)

export type PackageName = Pick<Package, 'ecosystem' | 'name' | 'version'>
