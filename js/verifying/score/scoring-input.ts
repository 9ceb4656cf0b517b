import type { Annotation } from '../../foundation/model/bundle.js'
import type { PayloadName } from './payload-name.js'

/** Statement about a payload, made by one or more bundles. */
export interface Statement {
  /** Name of the signer in the trust policy that permitted the bundle. Without such a name, the key id. */
  readonly signer: string
  readonly host: string
  readonly layer: string
  readonly annotations: readonly Omit<Annotation, 'id'>[]
  /** Number of bundles that make exactly this statement. Default `1`. */
  readonly count?: number | undefined
}

/**
 * Reason why some sources of a payload are unknown: a set without a list (`set`), pruned bundles (`pruned`),
 * or more ancestors than the limit (`limit`).
 */
export type Gap = 'set' | 'pruned' | 'limit'

/** Payload with its statements, in the order in which they were last stored. */
export interface PayloadStatements extends PayloadName {
  readonly statements: readonly Statement[]
  readonly gap?: Gap | undefined
}

/** Payload from which another payload was made, directly or through others. */
export interface AncestorStatements extends PayloadStatements {
  /** Minimum number of `mutate` actions between ancestor and payload; 0 for the payload in `lineage()`. */
  readonly depth: number
}

/**
 * Layer below `app`. Its annotations describe a build or a machine, and count for each payload that depends
 * on this build or machine.
 */
export type LowerLayer = 'cicd' | 'os' | 'host'

/**
 * Build or machine that a tag names. Several payloads may have annotations of its layer with its tag, but
 * only the newest of these payloads counts. `statements` are all statements of the layer about this newest
 * payload.
 */
export interface Environment {
  readonly layer: LowerLayer
  readonly tag: string
  readonly statements: readonly Statement[]
}

/** State of a log when a payload was scored. Anyone with the same entries can compute the score again. */
export interface LogPosition {
  /** Name of the log, as in the log's checkpoints. */
  readonly origin?: string | undefined
  /** Number of entries in the log. */
  readonly size: number
  /** Number of pruned entries. Only their ids remain. */
  readonly pruned?: number | undefined
}

/** Trust policy that a store applied to its bundles, and the number of refusals. */
export interface TrustApplied {
  /** SHA-256 of the trust policy: `digest` of `readTrust`. */
  readonly policy?: string | undefined
  /** Numbers of refused bundles and refused classic annotations, by error code. */
  readonly refused: Readonly<Record<string, number>>
}

/** Statements, ancestors and environments on which the score of a payload depends. */
export interface ScoringInput {
  readonly payload: PayloadStatements
  /** Ancestors of the payload, each once. */
  readonly ancestors?: readonly AncestorStatements[] | undefined
  /** Builds and machines that {@link environmentsOf} lists, if there are statements about them. */
  readonly environments?: readonly Environment[] | undefined
  readonly log?: LogPosition | undefined
  /** Trust policy that the store applied. Default: all stored statements count. */
  readonly trust?: TrustApplied | undefined
}

/** Layer and tag that identify a build or a machine. */
export type EnvironmentName = Pick<Environment, 'layer' | 'tag'>

/**
 * Lists the builds and machines that statements depend on, each once. A statement of layer `app` depends on
 * the builds (`cicd`) that its tags name, and on the operating system (`os`) of its host. A statement of
 * layer `os` depends on the machines (`host`) that its tags name.
 *
 * @example
 * ```ts
 * import { environmentsOf } from 'alvarium-sdk/score'
 *
 * const annotations = [{ kind: 'src', tag: 'v1', isSatisfied: true }]
 * const names = environmentsOf([{ signer: 'edge-7', host: 'edge-7', layer: 'app', annotations }])
 * console.log(names.map(({ layer, tag }) => `${layer} ${tag}`).join(', ')) // cicd v1, os edge-7
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

export function environmentKey({ layer, tag }: { readonly layer: string; readonly tag: string }): string {
  return `${layer} ${tag}`
}
