import type { Score } from '../judge/verdict.js'
import type { PackVerdict } from './verdict.js'

/** Whose policy it is. */
export type Whose = 'reader' | 'pack'

interface JudgedPack {
  readonly trustedBy: Whose
  readonly scoredBy: Whose
  readonly verdict: PackVerdict
  readonly isClaimed: boolean
}

/** What a pack shows, in one sentence: what verifies, about what, by whose policy, how good it is, and whether it is all. */
export function sayingOf(found: JudgedPack): string {
  const { verdict, isClaimed } = found
  const claim = isClaimed ? [] : ['the verdict in the pack is another']
  return `${[aboutOf(verdict), judgedOf(found), ...claim, wholeOf(verdict)].join('; ')}.`
}

function judgedOf({ trustedBy, scoredBy, verdict }: JudgedPack): string {
  const { verified, refused, unknown } = verdict.lines.messages
  const bad = [
    refused > 0 && `${count(refused)} refused`,
    unknown > 0 && `${count(unknown)} of unknown signers`,
  ]
  const all = counted(verified + refused + unknown, 'message')
  const verifies = [`${count(verified)} of ${all} verified`, ...bad].filter(Boolean).join(', ')
  const scores = `${'payload' in verdict.about ? 'score' : 'lowest score'} ${percent(verdict.score)}`
  if (trustedBy === scoredBy) return `${verifies}, ${scores}, by ${POLICIES[trustedBy]}`
  return `${verifies} by ${POLICIES[trustedBy]}, ${scores} by ${POLICIES[scoredBy]}`
}

const POLICIES = { reader: 'your own policy', pack: "the pack's own policy" }

function aboutOf({ about, payloads }: JudgedPack['verdict']): string {
  if ('payload' in about) return `About the payload ${shortened(about.payload.key)}`
  if ('log' in about) {
    const { from, until, signer } = about.log
    return `About messages ${count(from)} to ${count(until - 1)} of a log of ${shortened(signer)}`
  }
  if ('set' in about) return `About ${counted(payloads, 'payload')} of the set ${shortened(about.set)}`
  return `About ${counted(payloads, 'payload')}: ${about.query}`
}

function wholeOf({ whole, logs }: JudgedPack['verdict']): string {
  const listed = logs.reduce((sum, { missing }) => sum + missing, 0)
  if (whole.missing > 0) return `${count(whole.missing)} ${whole.missing === 1 ? 'is' : 'are'} missing`
  if (whole.by === 'log') return 'checkpoints show that these are all'
  if (whole.by === 'sealed') return 'a signed set shows that these are all of its bundles'
  if (whole.by === 'members') return 'proofs show that these are all of the set'
  return listed > 0
    ? `checkpoints list ${counted(listed, 'message')} that are not here`
    : 'nothing shows that these are all'
}

/** Rounded down: 99.99 % is not 100 %. */
function percent(score: Score): string {
  return score === 'unknown' ? score : `${Math.floor(score / 100)} %`
}

function count(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',')
}

function counted(number: number, what: string): string {
  return `${count(number)} ${what}${number === 1 ? '' : 's'}`
}

const SHOWN = 24

function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
