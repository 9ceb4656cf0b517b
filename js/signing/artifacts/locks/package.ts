/** Version of a package in a build. */
export interface Package {
  /** Name of the registry at OSV: https://ossf.github.io/osv-schema/ */
  readonly ecosystem: string
  readonly name: string
  readonly version: string
  /** True if it is not installed everywhere, so that an SBOM may lack it. */
  readonly isOptional?: boolean
  /** True if it is the project's own, in the same repository, and in no registry. */
  readonly isOwn?: boolean
  /** True if it is only for development. */
  readonly isDev?: boolean
  /**
   * True if it comes from a repository or an address, not from a registry: known vulnerabilities of a package with its name may not apply.
   */
  readonly isElsewhere?: boolean
}

/**
 * Reason why OSV was not queried about a part of a project:
 *
 * - `transitive`: the file lacks transitive dependencies (pom.xml; go.mod before Go 1.17)
 * - `toolchain`: the release of Go is not in go.mod
 * - `lock-file`: the folder has a lock file that is not read
 * - `unlocked`: the lock file lacks a package that the project declares
 * - `source`: a package comes from a repository, an address, or a folder outside a Go module, whose contents no registry's version describes
 * - `purl`: a component of an SBOM has no package URL with a version, or a different version next to it
 * - `ecosystem`: OSV does not know a component's ecosystem by the names in package URLs, or Trivy no longer has advisories for it
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
export interface Unasked {
  /** Reason of the gap. */
  readonly reason: UnaskedReason
  /** Short description of the part. */
  readonly what: string
  /** File that has the part, or lacks it. */
  readonly file: string
}

/** Part that a lock file does not describe well enough. */
export type LockGap = Omit<Unasked, 'file'>

/** Contents of a lock file. */
export interface LockContents {
  readonly packages: readonly Package[]
  readonly gaps?: readonly LockGap[]
}

/** Reads the packages from the text of a lock file. Throws if it is not a lock file. */
export type LockReader = (assertText: string) => LockContents | Promise<LockContents>

/** JSON object whose members are not validated. */
export type Members = Readonly<Record<string, unknown>>

/** Returns a value as an object. @throws Error if it is not an object */
export function assertMembers(value: unknown, what: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members
  throw new Error(`${what}: expected an object, got ${Array.isArray(value) ? 'an array' : typeof value}`)
}

/** Returns a gap for each package that is declared but not locked. `of` is the declaring package. */
export function unlockedGaps(of: string, names: readonly string[]): LockGap[] {
  return names.map((name) => ({ reason: 'unlocked', what: `${name}, which ${of} declares` }))
}

/** Returns a value as text. @throws Error if it is not text */
export function text(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new Error(`${what}: expected text, got ${value === '' ? 'none' : typeof value}`)
}

/** Returns whether OSV can be queried: a package from another source may have an address instead of a version, or no version. */
export const isAskable = ({ version, isOwn }: Package): boolean => !isOwn && /^[^:/]+$/.test(version)

/** Returns whether an address is an archive with a package of others. A folder would be the project's own. */
export const isArchive = (address: string): boolean => /\.(tgz|tar|tar\.gz)(?=[#:(]|$)/.test(address)

/** Identity of a package: ecosystem, name and version. */
export type PackageName = Pick<Package, 'ecosystem' | 'name' | 'version'>
