/**
 * What was done with the payload: it came into being (`create`), was made from an earlier one (`mutate`),
 * arrived unchanged (`transit`) or was handed on (`publish`).
 */
export type Action = 'create' | 'mutate' | 'transit' | 'publish'

/** All actions, in the order of their numbers in the core. */
export const ACTIONS = ['create', 'mutate', 'transit', 'publish'] as const satisfies readonly Action[]

/** Where in the stack annotations are made: application, build pipeline, operating system, machine. */
export type Layer = 'app' | 'cicd' | 'os' | 'host'

/** All layers. */
export const LAYERS = ['app', 'cicd', 'os', 'host'] as const satisfies readonly Layer[]

/**
 * How a payload becomes its key. `none` takes the payload itself (UTF-8, at most 65,536 bytes), `md5` is for
 * existing consumers only.
 */
export type HashName = 'sha256' | 'md5' | 'none'

/** All of them. */
export const HASHES = ['sha256', 'md5', 'none'] as const satisfies readonly HashName[]

/** One annotator's answer. */
export interface Annotation {
  /** A ULID: 26 characters, unique, increasing in the order in which a signer answered. */
  readonly id: string
  /** Which check this was: `src`, `tls`, … At most 255 bytes. */
  readonly kind: string
  /** What the operator wants to find it by. At most 1,024 bytes. */
  readonly tag: string
  /** The answer. */
  readonly isSatisfied: boolean
}

/** A payload by its name. By the hash `none` a text can be spelled like the digest of another payload, so both count. */
export interface InputPayload {
  /** How the payload became its key. */
  readonly hash: HashName
  /** The payload key: the hash in upper-case hexadecimal, or the payload itself with hash `none`. */
  readonly key: string
}

/** All payloads of a sealed set (`alvarium-sdk/sets`). */
export interface InputSet {
  /** The id of the set: 64 lower-case hexadecimal digits. */
  readonly set: string
}

/** What a payload was made from. */
export type Input = InputPayload | InputSet

/** All annotations of one SDK call, and what they are about. Every field is covered by the signature. */
export interface Bundle {
  readonly action: Action
  /** Key id of the signer: 32 lower-case hexadecimal digits. */
  readonly signer: string
  /** The payload's key: its hash in upper-case hexadecimal, or the payload itself with hash `none`. */
  readonly key: string
  /** The key of the payload it was made from, by the same hash. With the action `mutate` there is either this or `inputs`. */
  readonly previousKey?: string
  /** What it was made from, in the order of whoever signed it: 1 to 65,536. One may come twice. */
  readonly inputs?: readonly Input[]
  readonly hash: HashName
  /** The machine that made the annotations. */
  readonly host: string
  readonly layer: Layer
  /** RFC 3339, exactly as it was signed, for example `2026-11-20T10:00:00.123456Z`. */
  readonly timestamp: string
  readonly annotations: readonly Annotation[]
}

/** A bundle that was verified, as the core gives it: with the id of `VerifiedBundle`. */
export interface IdentifiedBundle extends Bundle {
  readonly id: string
}
