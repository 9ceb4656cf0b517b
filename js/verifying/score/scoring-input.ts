import type { Annotation } from '../../foundation/model/bundle.js'
import type { PayloadName } from './payload-name.js'

/** Statement of one bundle about a payload, or of several bundles that state the same. */
export interface Statement {
  /** Name of the signer in the trust policy that permitted the bundle, or its key id. */
  readonly signer: string
  readonly host: string
  readonly layer: string
  readonly annotations: readonly Omit<Annotation, 'id'>[]
  /** Number of bundles with exactly this statement. Default `1`. */
  readonly count?: number | undefined
}

/**
 * Reason why some sources of a payload are unknown: a set without its list (`set`), pruned bundles (`pruned`), or more
 * ancestors than requested (`limit`).
 */
export type Gap = 'set' | 'pruned' | 'limit'

/** Payload with its statements, in the order in which they were stored. */
export interface JudgedPayload extends PayloadName {
  readonly statements: readonly Statement[]
  readonly gap?: Gap | undefined
}

/** Payload from which another one was made, directly or through others. */
export interface JudgedAncestor extends JudgedPayload {
  /** Minimum number of mutates between it and the payload: 1 or more. */
  readonly depth: number
}

/** Layers below `app` whose annotations describe a build or a machine, and not only their own payload. */
export type LowerLayer = 'cicd' | 'os' | 'host'

/**
 * Latest build under a tag, or latest findings on a host: all statements of that layer about the newest payload with
 * this tag.
 */
export interface Environment {
  readonly layer: LowerLayer
  readonly tag: string
  readonly statements: readonly Statement[]
}

/** State of the log behind a verdict: anyone with the same entries can compute the verdict again. */
export interface LogPosition {
  /** Name of the log, as in its checkpoints. */
  readonly origin?: string | undefined
  /** Number of entries. */
  readonly size: number
  /** Number of pruned entries, of which only the id is left. */
  readonly pruned?: number | undefined
}

/** Trust policy that decided which bundles of a store count, and its refusals. */
export interface TrustApplied {
  /** SHA-256 of the policy: `digest` of `readTrust`. */
  readonly policy?: string | undefined
  /**
   * Numbers of refused bundles, and of refused annotations of other SDKs, by the code of the error. They do
   * not count.
   */
  readonly refused: Readonly<Record<string, number>>
}

/** Everything on which the score of a payload depends. */
export interface ScoringInput {
  readonly payload: JudgedPayload
  /** Ancestors of the payload, each once. */
  readonly ancestors?: readonly JudgedAncestor[] | undefined
  /** Known environments of {@link environmentsOf}. */
  readonly environments?: readonly Environment[] | undefined
  readonly log?: LogPosition | undefined
  /** Trust policy by which statements were left out. Default: all statements count as they were stored. */
  readonly trust?: TrustApplied | undefined
}

/** Name of a build or a machine. */
export type EnvironmentName = Pick<Environment, 'layer' | 'tag'>

/**
 * Lists the builds and machines on which statements stand, each once. Statements of `app` stand on the `cicd` of their
 * tags and the `os` of their host; statements of `os` on the `host` of their tags.
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

/** Returns the name of an environment as one text. */
export function environmentKey({ layer, tag }: { readonly layer: string; readonly tag: string }): string {
  return `${layer} ${tag}`
}
