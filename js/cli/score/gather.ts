import { textOf } from '../../base/errors.js'
import { invalid } from '../fault.js'
import { trustedKeys } from '../keys/trusted.js'
import { type MessageOptions, messagesFor } from '../messages/messages.js'
import { EXIT, type ExitCode, type Session } from '../session.js'
import { rowsOf } from '../verify/report.js'
import { type Verdict, verdictsOn } from '../verify/verdict.js'
import { Confidence } from './confidence.js'

/** What judging a payload takes. */
export interface GatherOptions extends MessageOptions {
  readonly key?: readonly string[]
  readonly weights?: string
}

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
  const confidence = new Confidence(weightsIn(options.weights))
  const keyring = await trustedKeys(options.key)
  let code: ExitCode = EXIT.yes
  for await (const found of messagesFor(sources, options, session)) {
    // What comes now may have been cut off.
    if (session.interrupted.aborted) break
    for (const verdict of await verdictsOn(found, { keyring })) {
      add(confidence, verdict)
      if (verdict.is === 'verified') continue
      if (code !== EXIT.no) code = verdict.is === 'refused' ? EXIT.no : EXIT.unknown
      for (const row of rowsOf({ verdict })) await session.err.line(row)
    }
  }
  return { confidence, code }
}

function add(confidence: Confidence, verdict: Verdict): void {
  if (verdict.format === 'bundle') for (const bundle of verdict.bundles) confidence.addBundle(bundle)
  if (verdict.format !== 'classic') return
  for (const one of verdict.classic.annotations) {
    if (one.status === 'fulfilled') confidence.addAnnotation(one.value)
  }
}

function weightsIn(text = '{}'): Map<string, number> {
  const weights = new Map(Object.entries(objectIn(text)))
  for (const [kind, weight] of weights) {
    const isWeight = typeof weight === 'number' && weight >= 0 && Number.isFinite(weight)
    if (!isWeight) throw invalid('--weights', `a number from 0 for ${kind}`, JSON.stringify(weight))
  }
  return weights as Map<string, number>
}

function objectIn(text: string): object {
  try {
    return Object(JSON.parse(text))
  } catch (error) {
    throw invalid('--weights', 'JSON, for example {"tls":2}', textOf(error))
  }
}
