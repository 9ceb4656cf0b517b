import * as v from 'valibot'
import { expected } from '../../foundation/base/errors.js'
import { shorten } from '../../foundation/base/options/names.js'
import { oneOf, readAllFaults, strict } from '../../foundation/base/options/schema.js'
import { canonicalJson } from '../../foundation/base/text/canonical.js'
import { excessSteps, findRepeatedName, quotedNameAt } from '../../foundation/base/text/scan.js'
import { isWellFormed, quote } from '../../foundation/base/text/text.js'
import { runSync } from '../../foundation/base/time/turns.js'
import { digestOf } from '../../foundation/core/hashing.js'
import { LAYERS } from '../../foundation/model/bundle.js'
import { isOfScale } from './scale.js'
import type { Weighing } from './share.js'

/** Rule that states how much the annotations of some signers count. An absent member matches any value. */
export interface TrustRule {
  /** Name of the signer in the trust policy that permitted the bundle. Without such a name, the key id. */
  readonly signer?: string | undefined
  readonly host?: string | undefined
  readonly layer?: string | undefined
  readonly kind?: string | undefined
  /**
   * Trust in these annotations: a number from `0` (ignored) to `1` with at most four decimals. It reduces the
   * weight of satisfied annotations. Unsatisfied annotations keep their full weight.
   */
  readonly trust: number
}

/** Scoring policy as users write it in JSON. */
export interface ScoringPolicyFile {
  /** Version of the policy format. */
  readonly version: 1
  /** Weights of kinds: integers from `0` to `1_000_000`. Other kinds weigh `1`. At most 1,000 entries. */
  readonly weights?: Readonly<Record<string, number>> | undefined
  /**
   * Required kinds. The score is 0 if one of them has no satisfied annotation, or has an unsatisfied one. Default:
   * none. At most 1,000.
   */
  readonly required?: readonly string[] | undefined
  /** Rules for annotations that count less. The first match applies. Default: none. At most 1,000. */
  readonly trust?: readonly TrustRule[] | undefined
  /**
   * Counting of repeated annotations. `once` (default): for each kind, host and layer, a signer counts once, as
   * satisfied if all its annotations are satisfied. `each`: every annotation counts.
   */
  readonly repeats?: 'once' | 'each' | undefined
  /**
   * Effect of the ancestors. `min` (default): the lowest score of the payload and its ancestors counts.
   * `product`: all of these scores are multiplied. `own`: ancestors do not count.
   */
  readonly ancestors?: 'own' | 'min' | 'product' | undefined
  /**
   * Effect of the layers. `own` (default): annotations of all layers count alike. `stack`: the topmost
   * layer's score is multiplied by those of the layers below. The tag of an `app` annotation names a build
   * (`cicd`), and its host names an operating system (`os`). The tag of an `os` annotation names a machine
   * (`host`).
   */
  readonly layers?: 'own' | 'stack' | undefined
  /**
   * Effect of a build or machine without trusted statements in a `stack`: `lower` (default) scores it 0,
   * `ignore` omits it.
   */
  readonly unknown?: 'lower' | 'ignore' | undefined
}

/** Validated scoring policy with all defaults filled in, from {@link readPolicy}. */
export interface ScoringPolicy {
  /**
   * SHA-256 of `json`: 64 lower-case hexadecimal digits. Equal policies have the same digest. The digest is
   * computed only when it is read, because the computation needs the core.
   */
  readonly digest: string
  /** Canonical JSON of the policy (RFC 8785), with all defaults filled in. */
  readonly json: string
  /** @internal */
  readonly weighing: Weighing
  readonly trust: readonly TrustRule[]
  readonly repeats: 'once' | 'each'
  readonly ancestors: 'own' | 'min' | 'product'
  readonly layers: 'own' | 'stack'
  readonly unknown: 'lower' | 'ignore'
}

const integerUpTo = (max: number) => {
  const expected = `an integer from 0 to ${max}`
  return v.pipe(v.number(expected), v.integer(expected), v.minValue(0, expected), v.maxValue(max, expected))
}
const text = v.pipe(v.string('a text'), v.check(isWellFormed, 'a text of whole characters'))
const kind = v.pipe(text, v.nonEmpty('a kind'))
/** Maximum weight of a kind. A higher weight would make kinds with weight 1 insignificant. */
const MAX_WEIGHT = 1_000_000
const MAX_ENTRIES = 1_000
const atMostEntries = `at most ${MAX_ENTRIES} entries`

/** Valibot schema of {@link ScoringPolicyFile}, from which `dist/policy.schema.json` is generated. */
export const policySchema = strict({
  $schema: v.optional(v.pipe(v.unknown(), v.description('No effect'))),
  version: v.literal(1, '1'),
  weights: v.optional(
    v.pipe(
      v.record(kind, integerUpTo(MAX_WEIGHT), 'weights by kind'),
      v.maxEntries(MAX_ENTRIES, atMostEntries),
    ),
    {},
  ),
  required: v.optional(v.pipe(v.array(kind, 'kinds'), v.maxLength(MAX_ENTRIES, atMostEntries)), []),
  trust: v.optional(v.pipe(v.array(trustRuleSchema(), 'rules'), v.maxLength(MAX_ENTRIES, atMostEntries)), []),
  repeats: v.optional(oneOf(['once', 'each']), 'once'),
  ancestors: v.optional(oneOf(['min', 'product', 'own']), 'min'),
  layers: v.optional(oneOf(['own', 'stack']), 'own'),
  unknown: v.optional(oneOf(['lower', 'ignore']), 'lower'),
})

function trustRuleSchema() {
  return strict({
    signer: v.optional(text),
    host: v.optional(text),
    layer: v.optional(oneOf(LAYERS)),
    kind: v.optional(kind),
    trust: trustSchema(),
  })
}

function trustSchema() {
  const expected = 'a number from 0 to 1 with at most four decimals'
  return v.pipe(
    v.number(expected),
    v.minValue(0, expected),
    v.maxValue(1, expected),
    v.check(isOfScale, expected),
    v.description('At most four decimals'),
  )
}

/** Maximum number of characters in a policy. 1,000 rules and kinds need fewer characters. */
const MAX_POLICY_CHARACTERS = 4 * 1024 * 1024

/**
 * Reads a scoring policy for {@link scorePayload}. Its digest needs the core: a program that reads the digest
 * must import `alvarium-sdk/core` if nothing else in it loads the core.
 *
 * @param policy - policy as JSON text or as an object
 * @throws AlvariumError `CONFIG_INVALID`, with a line for each invalid member
 *
 * @example
 * ```ts
 * import 'alvarium-sdk/core'
 * import { readPolicy } from 'alvarium-sdk/score'
 *
 * const policy = readPolicy({ version: 1, weights: { tls: 2 }, required: ['src'], trust: [{ signer: 'contractor', trust: 0.5 }] })
 * console.log(policy.digest.length, policy.ancestors) // 64 min
 * ```
 */
export function readPolicy(policy: string | ScoringPolicyFile): ScoringPolicy {
  const value = typeof policy === 'string' ? parsePolicy(policy) : policy
  assertFew(value)
  const { $schema, weights: _, required: needed, ...rest } = readAllFaults(policySchema, value, '')
  const weights = weightsIn(value)
  const required = [...new Set(needed)].sort()
  const json = canonicalJson({ ...rest, weights: Object.fromEntries(weights), required })
  const { trust, repeats, ancestors, layers, unknown } = rest
  let digest: string | undefined
  return {
    get digest() {
      digest ??= digestOf(new TextEncoder().encode(json))
      return digest
    },
    json,
    trust,
    repeats,
    ancestors,
    layers,
    unknown,
    weighing: { weights: new Map(weights.map(([one, of]) => [one, BigInt(of)])), otherWeight: 1n, required },
  }
}

function parsePolicy(given: string): unknown {
  if (given.length > MAX_POLICY_CHARACTERS) {
    throw expected(
      'CONFIG_INVALID',
      'policy',
      `a text of at most ${MAX_POLICY_CHARACTERS} characters`,
      `${given.length}`,
    )
  }
  const excess = runSync(excessSteps(given))
  if (excess !== undefined) throw expected('CONFIG_INVALID', 'policy', `JSON with ${excess}`, 'more')
  let value: unknown
  try {
    value = JSON.parse(given)
  } catch {
    throw expected('CONFIG_INVALID', 'policy', 'JSON', quote(given))
  }
  const second = findRepeatedName(given)
  if (second === undefined) return value
  throw expected(
    'CONFIG_INVALID',
    'policy',
    'JSON with each name once',
    `${quotedNameAt(given, second)} twice`,
  )
}

/** Asserts that no list of the policy has too many entries, before the schema reads each entry. */
function assertFew(value: unknown): void {
  for (const name of ['weights', 'required', 'trust']) {
    const list: unknown = Reflect.get(Object(value), name)
    const { length } = Array.isArray(list) ? list : Object.keys(Object(list))
    if (length > MAX_ENTRIES) throw expected('CONFIG_INVALID', name, atMostEntries, `${length}`)
  }
}

/** Reads the weights without a schema, because a schema would skip kinds such as `constructor`. */
function weightsIn(value: unknown): [string, number][] {
  const weights = Object.entries<number>(Reflect.get(Object(value), 'weights') ?? {})
  for (const [one, of] of weights) readAllFaults(integerUpTo(MAX_WEIGHT), of, `weights.${shorten(one)}`)
  return weights
}
