/** The names that OSV and package URLs have for where packages come from: https://ossf.github.io/osv-schema/ */
export type Ecosystem = 'npm' | 'Go' | 'Maven' | 'crates.io'

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
}

/** Reads the packages out of the text of a lock file. Throws when it is none. */
export type LockReader = (text: string) => readonly Package[] | Promise<readonly Package[]>

/** A JSON, YAML or TOML object, whose members are yet to be looked at. */
export type Members = Readonly<Record<string, unknown>>

/** @throws Error when it is no object */
export function members(value: unknown, what: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members
  throw new Error(`${what}: expected an object, got ${Array.isArray(value) ? 'an array' : typeof value}`)
}

/** @throws Error when it is no text */
export function text(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new Error(`${what}: expected text, got ${value === '' ? 'none' : typeof value}`)
}
