import { quote } from '../../base/text/text.js'

/** The names that OSV and package URLs have for where packages come from: https://ossf.github.io/osv-schema/ */
type Ecosystem = 'npm' | 'Go' | 'Maven' | 'crates.io'

/** One version of a package that a build is made of. */
export interface Package {
  readonly ecosystem: Ecosystem
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
 * - `source`: a package comes from a repository or an address, where no registry's version says what it is
 */
export type UnaskedReason = 'transitive' | 'toolchain' | 'lock-file' | 'unlocked' | 'source'

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
  /** Names that it has besides: the project's own. */
  readonly ownNames?: readonly string[]
  readonly gaps?: readonly LockGap[]
}

/** Reads the packages out of the text of a lock file. Throws when it is none. */
export type LockReader = (text: string) => Locked | Promise<Locked>

/** A JSON, YAML or TOML object, whose members are yet to be looked at. */
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

/** Where a version belongs: what does not come from a registry has its address there. */
export const isAddress = (version: string): boolean => /[:/]/.test(version)

/** Somebody else's package in a file, where a folder would be the project's own. */
export const isArchive = (address: string): boolean => /\.(tgz|tar|tar\.gz)(?=[#:(]|$)/.test(address)

/** What tells packages apart, those of ecosystems without lock files here too. */
export type PackageName = Pick<Package, 'name' | 'version'> & { readonly ecosystem: string }

/**
 * The package that a package URL names (https://github.com/package-url/purl-spec), in the words of lock files; of other
 * types it is named by the URL's own.
 *
 * @throws Error when it is none, or has no version
 */
export function packageOfPurl(purl: string): PackageName {
  // The last @ behind the last slash: names and scopes may have one as it is.
  const [, type = '', path = '', version] =
    /^pkg:\/*([a-z][a-z0-9.+-]*)\/([^?#]+)@([^?#@/]+)(?:[?#]|$)/i.exec(purl) ?? []
  const parts = version && decoded([version, ...path.split('/').filter(Boolean)])
  if (!parts) throw new Error(`expected a package URL with a version, got ${quote(purl)}`)
  const [of = '', ...segments] = parts
  return inWordsOfLocks(type.toLowerCase(), segments, of)
}

function decoded(parts: readonly string[]): string[] | undefined {
  try {
    return parts.map(decodeURIComponent)
  } catch {
    return undefined
  }
}

function inWordsOfLocks(type: string, segments: readonly string[], version: string): PackageName {
  if (type === 'npm') return { ecosystem: 'npm', name: segments.join('/'), version }
  if (type === 'cargo') return { ecosystem: 'crates.io', name: segments.join('/'), version }
  if (type === 'maven') return { ecosystem: 'Maven', name: segments.join(':'), version }
  if (type === 'golang')
    return { ecosystem: 'Go', name: segments.join('/'), version: version.replace(/^v/, '') }
  return { ecosystem: type, name: segments.join('/'), version }
}
