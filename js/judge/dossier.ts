import type { Annotation } from '../model/bundle.js'
import type { PayloadName } from './payload-name.js'

/** What one bundle says of a payload, or several that say the same. */
export interface Statement {
  /** The signer's name in the trust policy that judged the bundle, or its key id. */
  readonly signer: string
  readonly host: string
  readonly layer: string
  readonly annotations: readonly Omit<Annotation, 'id'>[]
  /** How many bundles say exactly this. Default `1`. */
  readonly count?: number | undefined
}

/**
 * Why it is not known what all a payload was made from: it is a set whose list is not here (`set`), bundles were pruned (`pruned`), or more
 * was found than was asked for (`limit`).
 */
export type Gap = 'set' | 'pruned' | 'limit'

/** A payload, and what was said of it, in the order in which it was stored. */
export interface JudgedPayload extends PayloadName {
  readonly statements: readonly Statement[]
  readonly gap?: Gap | undefined
}

/** What a payload was made from, near or far. */
export interface JudgedAncestor extends JudgedPayload {
  /** How many mutates away it is at least: 1 or more. */
  readonly depth: number
}

/** The layers below `app` whose annotations say something about a build or a machine, and not only about their own payload. */
export type LowerLayer = 'cicd' | 'os' | 'host'

/** What was last built under a tag, or last found on a host: all statements of that layer about the newest payload with this tag. */
export interface Environment {
  readonly layer: LowerLayer
  readonly tag: string
  readonly statements: readonly Statement[]
}

/** How much was known: whoever has as much can judge again. */
export interface LogPosition {
  /** The name of the log, as its checkpoints have it. */
  readonly origin?: string | undefined
  /** How many entries it had. */
  readonly size: number
  /** How many of those were pruned, so that only their id is left. */
  readonly pruned?: number | undefined
}

/** The trust policy that has decided which bundles of a store count, and what it refuses of them. */
export interface TrustApplied {
  /** The SHA-256 of the policy: `digest` of `readTrust`. */
  readonly policy?: string | undefined
  /** Numbers of bundles that it does not accept, by the code of the error, and of annotations of other SDKs, one by one. They do not count. */
  readonly refused: Readonly<Record<string, number>>
}

/** Everything that a payload is judged by. */
export interface Dossier {
  readonly payload: JudgedPayload
  /** Each once. */
  readonly ancestors?: readonly JudgedAncestor[] | undefined
  /** Those of {@link environmentsOf} that are known. */
  readonly environments?: readonly Environment[] | undefined
  readonly log?: LogPosition | undefined
  /** The trust policy by which statements were left out. Default: they are as they were stored. */
  readonly trust?: TrustApplied | undefined
}

/** Which build or machine it is. */
export type EnvironmentName = Pick<Environment, 'layer' | 'tag'>

/**
 * The builds and machines that statements stand on, each once: of `app`, the `cicd` of their tags and the `os` of their host; of `os`, the
 * `host` of their tags.
 *
 * @example
 * ```ts
 * import { environmentsOf } from 'alvarium-sdk/judge'
 *
 * const annotations = [{ kind: 'src', tag: 'v1', isSatisfied: true }]
 * console.log(environmentsOf([{ signer: 'edge-7', host: 'edge-7', layer: 'app', annotations }])) // cicd v1, os edge-7
 * ```
 */
export function environmentsOf(statements: readonly Statement[]): EnvironmentName[] {
  const names = statements.flatMap(({ layer, host, annotations }): EnvironmentName[] => {
    const tags = annotations.map(({ tag }) => tag)
    if (layer === 'app')
      return [...tags.map((tag) => ({ layer: 'cicd' as const, tag })), { layer: 'os', tag: host }]
    return layer === 'os' ? tags.map((tag) => ({ layer: 'host' as const, tag })) : []
  })
  return [...new Map(names.map((one) => [environmentKey(one), one])).values()].filter(({ tag }) => tag !== '')
}

/** The name as one text. */
export function environmentKey({ layer, tag }: { readonly layer: string; readonly tag: string }): string {
  return `${layer} ${tag}`
}
