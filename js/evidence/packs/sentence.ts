import type { Outcome } from '../../foundation/model/outcome.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import { percentOf } from '../../verifying/score/scale.js'
import type { Score } from '../../verifying/score/verdict.js'
import { areSignersKnown, type PackFacts } from './outcome.js'
import type { PackVerdict, PolicyOwner } from './verdict.js'
import { count, countWithNoun, type NameOf, quotation, shorten } from './words.js'

export interface SentenceFacts extends PackFacts {
  readonly outcome: Outcome
  readonly scoredBy: PolicyOwner
  readonly nameOf: NameOf
}

/** Returns the verdict on a pack as a sentence: subject, number of verified messages, policy, score and wholeness. */
export function sentenceOf(pack: SentenceFacts): string {
  const { verdict } = pack
  const parts = [
    aboutClause(pack),
    verifiedClause(pack),
    claimClause(pack),
    wholeClause(pack),
    logsClause(verdict),
    pack.witnessed?.says,
  ]
  return [`${parts.filter(Boolean).join('; ')}.`, authorsWords(verdict)].filter(Boolean).join(' ')
}

/**
 * Returns a clause that compares the stored verdict with the reader's. Returns undefined if the reader does
 * not know all signers, because the verdicts then cannot be compared.
 */
function claimClause(pack: SentenceFacts): string | undefined {
  const { differences, isExplained } = pack.claim
  if (differences.length === 0 || !areSignersKnown(pack)) return undefined
  const names = differences.join(', ')
  return isExplained
    ? `the author has other policies, and another verdict (${names})`
    : `the verdict stored in the pack does not match (${names})`
}

function verifiedClause(pack: SentenceFacts): string {
  const { trustedBy, scoredBy, verdict } = pack
  const { verified, refused, unknownSigner } = verdict.lines.messages
  const bad = [
    refused > 0 && `, ${count(refused)} refused`,
    unknownSigner > 0 && `, ${count(unknownSigner)} of unknown signers`,
  ].filter(Boolean)
  const all = `${count(verified)} of ${countWithNoun(verified + refused + unknownSigner, 'message')}`
  const score = `${'payload' in verdict.about ? 'score' : 'lowest score'} ${percent(verdict.score)}`
  const scored = `${score} by ${POLICIES[scoredBy]}`
  if (trustedBy === 'pack') {
    return `${consistency(pack)}${all} good by the policy in the pack${bad.join('')}, ${scored}`
  }
  const isOne = scoredBy === 'reader'
  const good = `${all} verified${bad.join('')}`
  return isOne ? `${good}, ${score}, by ${POLICIES.reader}` : `${good} by ${POLICIES.reader}, ${scored}`
}

/** Returns a warning that only the author of the pack vouches for its signers. */
function consistency({ outcome }: SentenceFacts): string {
  return outcome === 'does not hold'
    ? 'not consistent with itself: '
    : 'consistent with itself, and no more: '
}

const POLICIES = { reader: 'your own policy', pack: "the pack's own policy" }

function aboutClause({ verdict: { about, payloads }, nameOf }: SentenceFacts): string {
  if ('payload' in about) return `About the payload ${namedPayload(about.payload)}`
  if ('log' in about) {
    const { from, until, signer } = about.log
    return `About messages ${count(from)} to ${count(until - 1)} of a log of ${nameOf(signer)}`
  }
  if ('signer' in about) {
    const { id, from, until } = about.signer
    return `About all that ${nameOf(id)} signed from ${from} to ${until}`
  }
  if ('set' in about) return `About ${countWithNoun(payloads, 'payload')} of the set ${shorten(about.set)}`
  return `About ${countWithNoun(payloads, 'payload')}`
}

/** Returns the beginning of a payload key. A key with the hash `none` is quoted, because the author chose its text. */
function namedPayload({ hash, key }: PayloadName): string {
  return hash === 'none' ? quotation(shorten(key)) : shorten(key)
}

/** Returns `WholeWord: clause`, or only the clause with `not shown` or without a policy of the reader. */
function wholeClause({ verdict: { whole }, found: { clause }, trustedBy }: SentenceFacts): string {
  return whole.word === 'not shown' || trustedBy === 'pack' ? clause : `${whole.word}: ${clause}`
}

function logsClause({ about, logs, whole }: PackVerdict): string {
  const sum = (name: 'missing' | 'unlisted' | 'forks') => logs.reduce((all, one) => all + one[name], 0)
  const elsewhere = 'log' in about || 'signer' in about ? 0 : sum('missing')
  const unlisted = sum('unlisted')
  const isTold = whole.word === 'not shown' && ('log' in about || 'signer' in about)
  return [
    elsewhere > 0 &&
      `checkpoints list ${countWithNoun(elsewhere, 'message')} that ${elsewhere === 1 ? 'is' : 'are'} not here`,
    unlisted > 0 &&
      `${countWithNoun(unlisted, 'message')} here ${unlisted === 1 ? 'is' : 'are'} in no log of its time`,
    sum('forks') > 0 && !isTold && 'a signer has told its log in two ways',
  ]
    .filter(Boolean)
    .join('; ')
}

/** Quotes the author's words at the end, so that they cannot pass for a part of the SDK's sentence. */
function authorsWords({ about }: PackVerdict): string {
  return 'query' in about ? `Its author says that it is about ${quotation(about.query)}.` : ''
}

/** Returns a percentage, rounded down so that 99.99 % never becomes 100 %. */
function percent(score: Score): string {
  return score === 'unknown' ? score : `${Math.floor(percentOf(score))} %`
}
