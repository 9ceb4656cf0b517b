import { type StoredOptions, trustedAt } from '../keys/trusted.js'
import { type MessageOptions, messagesFor } from '../messages/messages.js'
import { EXIT, type ExitCode, type Session } from '../session.js'
import { shown, yellow } from '../terminal/shown.js'
import { rowsOf } from '../verify/report.js'
import { type Verdict, verdictsOn } from '../verify/verdict.js'
import { Confidence } from './confidence.js'
import { type RuleOptions, rulesOf } from './rules.js'

/** What judging a payload takes. */
export interface GatherOptions extends MessageOptions, RuleOptions, StoredOptions {}

/** What was said about payloads, and whether there was something that did not verify. */
export interface Gathered {
  readonly confidence: Confidence
  readonly code: ExitCode
}

/** Reads messages, and adds up what verifies; what does not is told on standard error. */
export async function gathered(
  sources: readonly string[],
  options: GatherOptions,
  session: Session,
): Promise<Gathered> {
  const confidence = new Confidence(rulesOf(options))
  const trust = await trustedAt(options)
  let code: ExitCode = EXIT.yes
  for await (const found of messagesFor(sources, options, session)) {
    // What comes now may have been cut off.
    if (session.interrupted.aborted) break
    for (const verdict of await verdictsOn(found, trust)) {
      add(confidence, verdict)
      if (verdict.is === 'verified') continue
      if (code !== EXIT.no) code = verdict.is === 'refused' ? EXIT.no : EXIT.unknown
      for (const row of rowsOf({ verdict })) await session.err.line(row)
    }
  }
  await tellOf(confidence, session)
  return { confidence, code }
}

/** What may not be as it was meant. */
async function tellOf({ unheard }: Confidence, { err }: Session): Promise<void> {
  for (const kind of unheard) {
    await err.line(shown`${yellow('note')}  no annotation is of the kind ${kind}, which an option names`)
  }
}

function add(confidence: Confidence, verdict: Verdict): void {
  if (verdict.format === 'bundle') for (const bundle of verdict.bundles) confidence.addBundle(bundle)
  if (verdict.format === 'classic') confidence.addClassic(verdict.classic)
}
