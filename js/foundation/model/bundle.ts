/**
 * The event in the life of a payload: it was created (`create`), made from an earlier one (`mutate`), passed through unchanged
 * (`transit`) or given to others (`publish`).
 */
export type Action = 'create' | 'mutate' | 'transit' | 'publish'

/** All actions, in the order of their numbers in the core. */
export const ACTIONS = ['create', 'mutate', 'transit', 'publish'] as const satisfies readonly Action[]

/** The part of the stack that makes the annotations: application, build pipeline, operating system, machine. */
export type Layer = 'app' | 'cicd' | 'os' | 'host'

/** All layers. */
export const LAYERS = ['app', 'cicd', 'os', 'host'] as const satisfies readonly Layer[]

/**
 * The hash that makes the payload key. With `none` the key is the payload itself (UTF-8, at most 65,536 bytes); `md5` is for
 * existing consumers only.
 */
export type HashName = 'sha256' | 'md5' | 'none'

/** All hashes. */
export const HASHES = ['sha256', 'md5', 'none'] as const satisfies readonly HashName[]

/** One annotator's answer. */
export interface Annotation {
  /** A ULID: 26 characters, unique, increasing in the order in which a signer answered. */
  readonly id: string
  /** The name of the check: `src`, `tls`, … At most 255 bytes. */
  readonly kind: string
  /** A text by which the operator finds the annotation. At most 1,024 bytes. */
  readonly tag: string
  /** The answer. */
  readonly isSatisfied: boolean
}

/** The name of a payload. With the hash `none`, the payload itself can look like the digest of another one, so both fields count. */
export interface InputPayload {
  /** The hash that made the payload key. */
  readonly hash: HashName
  /** The payload key: the hash in upper-case hexadecimal, or the payload itself with hash `none`. */
  readonly key: string
}

/** All payloads of a sealed set (`alvarium-sdk/sets`). */
export interface InputSet {
  /** The id of the set: 64 lower-case hexadecimal digits. */
  readonly set: string
}

/** An input of a payload. */
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
  /** The inputs of the payload in the signer's order: 1 to 65,536. An input may occur twice. */
  readonly inputs?: readonly Input[]
  readonly hash: HashName
  /** The machine that made the annotations. */
  readonly host: string
  readonly layer: Layer
  /** RFC 3339, exactly as it was signed, for example `2026-11-20T10:00:00.123456Z`. */
  readonly timestamp: string
  readonly annotations: readonly Annotation[]
}

/** A verified bundle of the core, with the id of `VerifiedBundle`. */
export interface IdentifiedBundle extends Bundle {
  readonly id: string
}

/** Returns the inputs that a bundle states: its `inputs`, or the previous payload, whose key is by the bundle's own hash. */
export function inputsOf({
  hash,
  previousKey,
  inputs,
}: Pick<Bundle, 'hash' | 'previousKey' | 'inputs'>): readonly Input[] {
  return inputs ?? (previousKey === undefined ? [] : [{ hash, key: previousKey }])
}
