import { Confidence, type ScorePolicy } from 'alvarium-sdk/judge'
import { describe, textOf } from '../../base/errors.js'
import { secondName } from '../../base/text/scan.js'
import { readScorePolicy } from '../../judge/score.js'
import { invalid } from '../fault.js'
import { trustedAt } from '../keys/trusted.js'
import type { Parties } from '../lineage/parties.js'
import { Beside, type BesideOptions } from '../messages/beside.js'
import { type MessageOptions, messagesWithProgress } from '../messages/messages.js'
import type { Session } from '../session.js'
import { shown, yellow } from '../terminal/shown.js'
import { rowsOf } from '../verify/report.js'
import { Tally } from '../verify/tally.js'
import { type Verdict, verdictsOn } from '../verify/verdict.js'

/** What judging a payload takes. */
export interface GatherOptions extends MessageOptions, RuleOptions, BesideOptions {}

/** What was said about payloads, and whether there was something that did not verify. */
interface GatheredStatements {
  readonly confidence: Confidence
  readonly policy: ScorePolicy
  /** Classic messages of payloads that were made from others: which one from which, nobody signed. */
  readonly unlinked: number
  readonly tally: Tally
}

/** Reads messages, and adds up what verifies. Reports what does not on standard error. @param parties - collects who spoke */
export async function gathered(
  sources: readonly string[],
  options: GatherOptions,
  session: Session,
  parties?: Parties,
): Promise<GatheredStatements> {
  const policy = policyOf(options)
  const confidence = new Confidence(policy)
  const trust = await trustedAt(options, session.err)
  const beside = await Beside.open(trust, sources, options, session)
  const tally = new Tally()
  let unlinked = 0
  for await (const found of messagesWithProgress(sources, options, session)) {
    // What comes now may have been cut off.
    if (session.interrupted.aborted) break
    const { messages } = await beside.partsOf(found)
    const { leases, checkpoints } = beside
    for (const verdict of await verdictsOn(messages, { ...trust, leases, checkpoints })) {
      tally.add(verdict.is)
      add(confidence, verdict)
      parties?.addVerdict(verdict)
      if (verdict.format === 'classic' && verdict.classic.action === 'mutate') unlinked++
      if (verdict.is === 'verified') continue
      for (const row of rowsOf({ verdict })) await session.err.line(row)
    }
  }
  await tellUnheard(confidence, policy, session)
  await beside.tell(session)
  return { confidence, policy, unlinked, tally }
}

/** Kinds that an option names, and no annotation has: slips, maybe. */
async function tellUnheard(
  confidence: Confidence,
  { weights = {}, required = [] }: ScorePolicy,
  { err }: Session,
): Promise<void> {
  const heard = new Set([...confidence.payloads()].flatMap(({ answers }) => [...answers.keys()]))
  for (const kind of new Set([...Object.keys(weights), ...required])) {
    if (heard.has(kind)) continue
    await err.line(shown`${yellow('note')}  no annotation is of the kind ${kind}, which an option names`)
  }
}

function add(confidence: Confidence, verdict: Verdict): void {
  if (verdict.format === 'bundle') for (const bundle of verdict.bundles) confidence.add(bundle)
  if (verdict.format === 'classic') confidence.addClassic(verdict.classic)
}

/** How to judge, as it was asked for. */
interface RuleOptions {
  readonly weights?: string
  readonly require?: readonly string[]
  readonly oncePerSigner?: boolean
}

const NAMES = { weights: '--weights', required: '--require' }

/** @throws AlvariumError `CONFIG_INVALID` */
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
  // Of two the last would count, and nobody would know that there was another.
  if (secondName(text) !== undefined) throw invalid('--weights', 'each kind once', 'one of them twice')
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw invalid('--weights', 'an object, for example {"tls":2}', describe(value))
}
