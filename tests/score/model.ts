import type { ScoringPolicyFile } from 'alvarium-sdk/score'
import type { Saying } from '../support/fabrics.js'

/** The rules of the guide (scoring.md), as short as there: each question reads all statements again. */

type Rules = Omit<ScoringPolicyFile, '$schema' | 'version'>
type Policy = { readonly [Name in keyof Rules]-?: NonNullable<Rules[Name]> }

export const DEFAULTS: Policy = {
  weights: {},
  required: [],
  trust: [],
  ...({ repeats: 'once', ancestors: 'min', layers: 'own', unknown: 'lower' } as const),
}

/** One answer, with the names that a rule of trust can have. */
interface Answer {
  readonly kind: string
  readonly signer: string
  readonly host: string
  readonly layer: string
  readonly tag: string
  readonly isSatisfied: boolean
}

/** A score before rounding down. */
interface Fraction {
  readonly part: bigint
  readonly all: bigint
}

const LAYERS = ['app', 'cicd', 'os', 'host']
const ONE: Fraction = { part: 1n, all: 1n }
const tenThousandths = (number: number) => BigInt(Math.round(number * 10_000))
const times = (one: Fraction, other: Fraction) => ({ part: one.part * other.part, all: one.all * other.all })
const roundDown = ({ part, all }: Fraction) => (all === 0n ? 0 : Number((part * 10_000n) / all) / 10_000)
const fraction = (score: number): Fraction => ({ part: tenThousandths(score), all: 10_000n })

/** Scores a payload by all statements about it and its lineage. */
export function scoreOf(said: readonly Saying[], policy: Policy, key: string): number | 'unknown' {
  const own = ownScoreOf(said, policy, key)
  if (policy.ancestors === 'own') return own
  const ancestors = ancestorsOf(said, key)
  const scores = [own, ...ancestors.map((one) => ownScoreOf(said, policy, one))]
  const score =
    policy.ancestors === 'min' ? Math.min(...scores) : roundDown(scores.map(fraction).reduce(times, ONE))
  const isWhole = !said.some((one) => [key, ...ancestors].includes(one.key) && setsOf(one).length > 0)
  return isWhole || score === 0 ? score : 'unknown'
}

function ancestorsOf(said: readonly Saying[], key: string): string[] {
  const found = new Set([key])
  for (const one of found) {
    for (const { key: its, inputs = [] } of said) {
      for (const input of its === one ? inputs : []) if ('key' in input) found.add(input.key)
    }
  }
  found.delete(key)
  return [...found]
}

function setsOf({ inputs = [] }: Saying): unknown[] {
  return inputs.filter((input) => 'set' in input)
}

function ownScoreOf(said: readonly Saying[], policy: Policy, key: string): number {
  const answers = heardOf(said, policy, (one) => one.key === key)
  if (policy.layers === 'own') return roundDown(shareOf(answers, policy))
  const topmost = LAYERS.find((layer) => answers.some((one) => one.layer === layer))
  return stackedScoreOf(
    said,
    policy,
    answers.filter((one) => one.layer === topmost),
  )
}

function stackedScoreOf(said: readonly Saying[], policy: Policy, answers: readonly Answer[]): number {
  const layer = answers[0]?.layer
  const below = (name: 'tag' | 'host', lower: string) => averageOf(said, policy, { answers, name, lower })
  const factors =
    layer === 'app'
      ? [below('tag', 'cicd'), below('host', 'os')]
      : layer === 'os'
        ? [below('tag', 'host')]
        : []
  return roundDown(factors.reduce(times, shareOf(answers, policy)))
}

/** Averages the scores of the environments of annotations. */
function averageOf(
  said: readonly Saying[],
  policy: Policy,
  { answers, name, lower }: { answers: readonly Answer[]; name: 'tag' | 'host'; lower: string },
): Fraction {
  const scores = answers.map((one) => standingOf(said, policy, lower, one[name]))
  const counted = policy.unknown === 'ignore' ? scores.filter((score) => score !== undefined) : scores
  if (counted.length === 0) return ONE
  const part = counted.reduce((sum, score) => sum + tenThousandths(score ?? 0), 0n)
  return { part, all: 10_000n * BigInt(counted.length) }
}

/** Scores the build or machine of that name; undefined if no trusted signer has mentioned it. */
function standingOf(said: readonly Saying[], policy: Policy, layer: string, tag: string): number | undefined {
  const isOf = (one: Saying) => one.layer === layer && Object.keys(one.answers).length > 0
  const newest = said.findLast((one) => isOf(one) && one.tag === tag && tag !== '')
  const answers = heardOf(said, policy, (one) => one.layer === layer && one.key === newest?.key)
  return answers.length > 0 ? stackedScoreOf(said, policy, answers) : undefined
}

/** Lists the answers that count: signers with trust 0 are left out. */
function heardOf(said: readonly Saying[], policy: Policy, isMeant: (one: Saying) => boolean): Answer[] {
  const all = said
    .filter(isMeant)
    .flatMap(({ answers, signer = '', host = '', layer = 'app', tag = '' }) =>
      Object.entries(answers).map(([kind, isSatisfied]) => ({ kind, signer, host, layer, tag, isSatisfied })),
    )
    .filter((answer) => trustIn(policy, answer) > 0)
  return policy.repeats === 'each' ? all : onceEach(all)
}

function onceEach(all: readonly Answer[]): Answer[] {
  const nameOf = ({ kind, signer, host, layer }: Answer) => [kind, signer, host, layer].join('|')
  return [...new Set(all.map(nameOf))].map((name) => {
    const alike = all.filter((one) => nameOf(one) === name)
    return { ...(alike.at(-1) as Answer), isSatisfied: alike.every((one) => one.isSatisfied) }
  })
}

function trustIn({ trust }: Policy, answer: Answer): number {
  const rule = trust.find((one) =>
    (['signer', 'host', 'layer', 'kind'] as const).every(
      (name) => (one[name] ?? answer[name]) === answer[name],
    ),
  )
  return rule?.trust ?? 1
}

function shareOf(answers: readonly Answer[], policy: Policy): Fraction {
  const weightOf = ({ kind }: Answer) => BigInt(policy.weights[kind] ?? 1)
  const sum = (numbers: readonly bigint[]) => numbers.reduce((total, one) => total + one, 0n)
  const yes = answers.filter((one) => one.isSatisfied)
  const part = sum(yes.map((one) => weightOf(one) * tenThousandths(trustIn(policy, one))))
  const all = sum(answers.map((one) => weightOf(one) * 10_000n))
  return { part: isVetoed(answers, policy.required) ? 0n : part, all }
}

function isVetoed(answers: readonly Answer[], required: readonly string[]): boolean {
  return required.some((kind) => {
    const its = answers.filter((one) => one.kind === kind)
    return its.length === 0 || its.some((one) => !one.isSatisfied)
  })
}
