/**
 * The event in the life of a payload: the signer created it (`create`), made it from an earlier payload (`mutate`),
 * passed it on unchanged (`transit`) or made it available to others (`publish`).
 */
export type Action = 'create' | 'mutate' | 'transit' | 'publish'

/** All actions, in the order of their numbers in the core. */
export const ACTIONS = ['create', 'mutate', 'transit', 'publish'] as const satisfies readonly Action[]

/** The part of the stack that makes the annotations: application, build pipeline, operating system, machine. */
export type Layer = 'app' | 'cicd' | 'os' | 'host'

/** All layers, in the order of their numbers in the core. */
export const LAYERS = ['app', 'cicd', 'os', 'host'] as const satisfies readonly Layer[]

/**
 * The hash that makes the payload key. With `none` the key is the payload itself (UTF-8, at most 65,536 bytes). `md5`
 * is for existing consumers only.
 */
export type HashName = 'sha256' | 'md5' | 'none'

/** The names of all hashes, in the order of their numbers in the core. */
export const HASHES = ['sha256', 'md5', 'none'] as const satisfies readonly HashName[]

/** The answer of one annotator about a payload. */
export interface Annotation {
  /** A ULID: 26 characters, unique, increasing in the order in which a signer's annotators answered. */
  readonly id: string
  /** The name of the check, for example `src` or `tls`. At most 255 bytes. */
  readonly kind: string
  /** A text with which the operator finds the annotation. At most 1,024 bytes. */
  readonly tag: string
  /** True if the annotator's check succeeded. */
  readonly isSatisfied: boolean
}

/** An input's hash and key. Both identify it, because a key with hash `none` can look like another payload's digest. */
export interface InputPayload {
  /** The hash that made the payload key. */
  readonly hash: HashName
  /** The payload key: the hash in upper-case hexadecimal, or the payload itself with hash `none`. */
  readonly key: string
}

/** A sealed set as an input: all payloads of the set (`alvarium-sdk/sets`). */
export interface InputSet {
  /** The id of the sealed set: 64 lower-case hexadecimal digits. */
  readonly set: string
}

/** An input of a payload: another payload, or all payloads of a sealed set. */
export type Input = InputPayload | InputSet

/** All annotations of one SDK call, with the payload key and the context. The signature covers every field. */
export interface Bundle {
  readonly action: Action
  /** Key id of the signer: 32 lower-case hexadecimal digits. */
  readonly signer: string
  /** The payload key: the hash in upper-case hexadecimal, or the payload itself with hash `none`. */
  readonly key: string
  /** The key of the previous payload, by the same hash. `mutate` has either `previousKey` or `inputs`. */
  readonly previousKey?: string
  /** The inputs of the payload in the signer's order: 1 to 65,536. An input may occur twice. */
  readonly inputs?: readonly Input[]
  readonly hash: HashName
  /** The name of the machine that made the annotations. */
  readonly host: string
  readonly layer: Layer
  /** The time in RFC 3339, exactly as it was signed, for example `2026-11-20T10:00:00.123456Z`. */
  readonly timestamp: string
  readonly annotations: readonly Annotation[]
}

/** A bundle that the core has verified, with its id, which `VerifiedBundle` also has. */
export interface IdentifiedBundle extends Bundle {
  readonly id: string
}

/**
 * Returns the inputs of a bundle. If the bundle has no `inputs`, returns its previous payload, if any, with
 * the bundle's hash algorithm.
 */
export function inputsOf({
  hash,
  previousKey,
  inputs,
}: Pick<Bundle, 'hash' | 'previousKey' | 'inputs'>): readonly Input[] {
  return inputs ?? (previousKey === undefined ? [] : [{ hash, key: previousKey }])
}
