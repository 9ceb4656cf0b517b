import { BundleGraph, type ScoringPolicy, type ScoringPolicyFile } from 'alvarium-sdk/score'
import { trustedAt } from '../keys/trusted.js'
import type { Parties } from '../lineage/parties.js'
import { type ControlOptions, ControlReader } from '../messages/control-reader.js'
import { type MessageOptions, messagesWithProgress } from '../messages/messages.js'
import type { Session } from '../session.js'
import { safeText } from '../terminal/safe-text.js'
import { verdictRows } from '../verify/report.js'
import { Tally } from '../verify/tally.js'
import { type Verdict, verdictsOn } from '../verify/verdict.js'
import { policyIn } from './report.js'

export interface GatherOptions extends MessageOptions, ControlOptions {
  readonly policy?: string
}

interface GatheredStatements {
  readonly graph: BundleGraph
  readonly policy: ScoringPolicy
  /** Number of classic messages with the action `mutate`. Lineages omit their sources, which no signature covers. */
  readonly unlinked: number
  readonly tally: Tally
}

/**
 * Reads messages and collects the verified ones. Reports all other messages on standard error.
 *
 * @param parties - collects the signers of each payload
 */
export async function gather(
  sources: readonly string[],
  options: GatherOptions,
  session: Session,
  parties?: Parties,
): Promise<GatheredStatements> {
  const policy = await policyIn(options.policy)
  const graph = new BundleGraph()
  const trust = await trustedAt(options, session.err)
  const controls = await ControlReader.open(trust, sources, options, session)
  const tally = new Tally()
  let unlinked = 0
  for await (const found of messagesWithProgress(sources, options, session)) {
    // Stop here: a message that was read after an interruption may be cut off.
    if (session.interrupted.aborted) break
    const { messages } = await controls.partsOf(found)
    for (const verdict of await verdictsOn(messages, controls.trust)) {
      tally.add(verdict.is)
      add(graph, verdict)
      parties?.addVerdict(verdict)
      if (verdict.format === 'classic' && verdict.classic.action === 'mutate') unlinked++
      if (verdict.is === 'verified') continue
      await session.err.lines(verdictRows({ verdict }))
    }
  }
  await tellUnheard(graph, policy, session)
  await controls.tell(session)
  return { graph, policy, unlinked, tally }
}

/** Prints a note about kinds that the policy names and no annotation has: they may be misspelled. */
async function tellUnheard(graph: BundleGraph, policy: ScoringPolicy, { err }: Session): Promise<void> {
  const { weights = {}, required = [] }: ScoringPolicyFile = JSON.parse(policy.json)
  const heard = new Set<string>()
  for (const payload of graph.payloads())
    for (const { annotations } of graph.statements(payload))
      for (const { kind } of annotations) heard.add(kind)
  for (const kind of new Set([...Object.keys(weights), ...required])) {
    if (heard.has(kind)) continue
    await err.note(safeText`no annotation is of the kind ${kind}, which the policy names`)
  }
}

function add(graph: BundleGraph, verdict: Verdict): void {
  if (verdict.format === 'bundle') for (const bundle of verdict.bundles) graph.add(bundle)
  if (verdict.format === 'classic') graph.addClassic(verdict.classic)
}
