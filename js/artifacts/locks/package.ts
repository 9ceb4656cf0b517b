/** One version of a package that a build is made of. */
export interface Package {
  /** Name of the registry at OSV: https://ossf.github.io/osv-schema/ */
  readonly ecosystem: string
  readonly name: string
  readonly version: string
  /** Not installed everywhere: an SBOM may lack it. */
  readonly isOptional?: boolean
  /** The project's own, in the same repository: no registry has it. */
  readonly isOwn?: boolean
  /** Only for development. */
  readonly isDev?: boolean
  /** From a repository or an address, and not from a registry: what is known of a package of its name may not be of this one. */
  readonly isElsewhere?: boolean
}

/**
 * Why nobody was asked about a part of what a project is made of:
 *
 * - `transitive`: what dependencies bring is not in the file (pom.xml; go.mod before Go 1.17)
 * - `toolchain`: the release of Go is not in go.mod
 * - `lock-file`: a lock file that is not read lies beside those that are
 * - `unlocked`: the lock file lacks what the project declares
 * - `source`: a package comes from a repository, an address, or a folder outside a Go module, where no registry's version says what it is
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

/** Something that a project is made of, about which nobody was asked. */
export interface Unasked {
  /** Why not. */
  readonly reason: UnaskedReason
  /** In a few words. */
  readonly what: string
  /** The file that has it, or lacks it. */
  readonly file: string
}

/** What a lock file does not say enough about. */
export type LockGap = Omit<Unasked, 'file'>

/** What a lock file says. */
export interface Locked {
  readonly packages: readonly Package[]
  readonly gaps?: readonly LockGap[]
}

/** Reads the packages out of the text of a lock file. Throws when it is none. */
export type LockReader = (text: string) => Locked | Promise<Locked>

/** A JSON object, whose members are yet to be looked at. */
export type Members = Readonly<Record<string, unknown>>

/** @throws Error when it is no object */
export function members(value: unknown, what: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members
  throw new Error(`${what}: expected an object, got ${Array.isArray(value) ? 'an array' : typeof value}`)
}

/** What is declared, by the package that does, and not locked. */
export function unlocked(of: string, names: readonly string[]): LockGap[] {
  return names.map((name) => ({ reason: 'unlocked', what: `${name}, which ${of} declares` }))
}

/** @throws Error when it is no text */
export function text(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new Error(`${what}: expected text, got ${value === '' ? 'none' : typeof value}`)
}

/** Returns whether OSV can be asked: a package from elsewhere may have an address in place of its version, or nothing. */
export const isAskable = ({ version, isOwn }: Package): boolean => !isOwn && /^[^:/]+$/.test(version)

/** Somebody else's package in a file, where a folder would be the project's own. */
export const isArchive = (address: string): boolean => /\.(tgz|tar|tar\.gz)(?=[#:(]|$)/.test(address)

/** Ecosystem, name and version: they tell packages apart. */
export type PackageName = Pick<Package, 'ecosystem' | 'name' | 'version'>
