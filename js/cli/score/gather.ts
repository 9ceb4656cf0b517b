import { Confidence, type ScorePolicy } from 'alvarium-sdk/judge'
import { describe, textOf } from '../../foundation/base/errors.js'
import { findRepeatedName } from '../../foundation/base/text/scan.js'
import { readScorePolicy } from '../../verifying/score/score-policy.js'
import { invalid } from '../fault.js'
import { trustedAt } from '../keys/trusted.js'
import type { Parties } from '../lineage/parties.js'
import { type ControlOptions, ControlReader } from '../messages/control-reader.js'
import { type MessageOptions, messagesWithProgress } from '../messages/messages.js'
import type { Session } from '../session.js'
import { safeText, yellow } from '../terminal/safe-text.js'
import { verdictRows } from '../verify/report.js'
import { Tally } from '../verify/tally.js'
import { type Verdict, verdictsOn } from '../verify/verdict.js'

/** Options of commands that score payloads. */
export interface GatherOptions extends MessageOptions, RuleOptions, ControlOptions {}

/** Scores of the payloads, and the tally of all messages. */
interface GatheredStatements {
  readonly confidence: Confidence
  readonly policy: ScorePolicy
  /** Number of classic messages with the action `mutate`, which sign no sources for the lineage. */
  readonly unlinked: number
  readonly tally: Tally
}

/**
 * Reads messages and scores the verified ones. Reports all others on standard error.
 *
 * @param parties - collects the signers of each payload
 */
export async function gather(
  sources: readonly string[],
  options: GatherOptions,
  session: Session,
  parties?: Parties,
): Promise<GatheredStatements> {
  const policy = policyOf(options)
  const confidence = new Confidence(policy)
  const trust = await trustedAt(options, session.err)
  const beside = await ControlReader.open(trust, sources, options, session)
  const tally = new Tally()
  let unlinked = 0
  for await (const found of messagesWithProgress(sources, options, session)) {
    // Stop here: a message that was read after an interruption may be cut off.
    if (session.interrupted.aborted) break
    const { messages } = await beside.partsOf(found)
    const { leases, checkpoints } = beside
    for (const verdict of await verdictsOn(messages, { ...trust, leases, checkpoints })) {
      tally.add(verdict.is)
      add(confidence, verdict)
      parties?.addVerdict(verdict)
      if (verdict.format === 'classic' && verdict.classic.action === 'mutate') unlinked++
      if (verdict.is === 'verified') continue
      for (const row of verdictRows({ verdict })) await session.err.line(row)
    }
  }
  await tellUnheard(confidence, policy, session)
  await beside.tell(session)
  return { confidence, policy, unlinked, tally }
}

/** Prints a note about kinds that no annotation has. The option that names them may be misspelled. */
async function tellUnheard(
  confidence: Confidence,
  { weights = {}, required = [] }: ScorePolicy,
  { err }: Session,
): Promise<void> {
  const heard = new Set([...confidence.payloads()].flatMap(({ answers }) => [...answers.keys()]))
  for (const kind of new Set([...Object.keys(weights), ...required])) {
    if (heard.has(kind)) continue
    await err.line(safeText`${yellow('note')}  no annotation is of the kind ${kind}, which an option names`)
  }
}

function add(confidence: Confidence, verdict: Verdict): void {
  if (verdict.format === 'bundle') for (const bundle of verdict.bundles) confidence.add(bundle)
  if (verdict.format === 'classic') confidence.addClassic(verdict.classic)
}

/** Options that define how payloads are scored. */
interface RuleOptions {
  readonly weights?: string
  readonly require?: readonly string[]
  readonly oncePerSigner?: boolean
}

const NAMES = { weights: '--weights', required: '--require' }

/** Parses the scoring policy in the options. @throws AlvariumError `CONFIG_INVALID` */
function policyOf({ weights = '{}', require, oncePerSigner }: RuleOptions): ScorePolicy {
  const policy = { weights: objectIn(weights), required: require, oncePerSigner }
  readScorePolicy(policy, NAMES)
  return policy
}

function objectIn(text: string): Record<string, number> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid('--weights', 'JSON, for example {"tls":2}', textOf(error))
  }
  // Refuse duplicate members: `JSON.parse` would silently use the last one.
  if (findRepeatedName(text) !== undefined) throw invalid('--weights', 'each kind once', 'one of them twice')
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw invalid('--weights', 'an object, for example {"tls":2}', describe(value))
}
