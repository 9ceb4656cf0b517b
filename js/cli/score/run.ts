import { percentOf, scorePayload } from 'alvarium-sdk/score'
import type { Judged } from '../../foundation/model/outcome.js'
import type { Run } from '../session.js'
import { conclude, NEEDS } from '../terminal/outcome.js'
import { padText, safeText } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import type { Tally } from '../verify/tally.js'
import { type GatherOptions, gather } from './gather.js'
import { keyText, percent, reasonOf } from './report.js'

interface ScoreOptions extends GatherOptions {
  readonly min?: number
  readonly json?: boolean
}

export const run: Run<ScoreOptions> = async (sources, options, session) => {
  const { graph, policy, tally } = await gather(sources, options, session)
  const { min = 0, json } = options
  const counts = { scored: 0, low: 0, unknown: 0 }
  for (const payload of graph.payloads()) {
    const verdict = scorePayload(graph.scoringInput(payload), policy)
    const { score, why } = verdict
    counts.scored++
    if (score === 'unknown') counts.unknown++
    else if (percentOf(score) < min) counts.low++
    await session.out.show(json, verdict, () => [
      safeText`${percent(score).padStart(7)}  ${padText(keyText(payload), 64)}  ${reasonOf(why)}`,
    ])
  }
  return conclude(judgedOf(tally, counts, min), options, { out: session.err, err: session.err })
}

interface ScoreCounts {
  readonly scored: number
  readonly low: number
  readonly unknown: number
}

/** Returns the verdict of the command. A payload whose score is unknown is never good enough. */
function judgedOf(tally: Tally, { scored, low, unknown }: ScoreCounts, min: number): Judged {
  const about =
    scored === 0
      ? 'no message was about any payload, so there is no score'
      : `${countOf(scored, 'payload')} scored`
  const below = low > 0 ? `, ${low} of them below --min ${min}` : ''
  const says = `${tally.says}; ${about}${below}${unknown > 0 ? `, ${unknown} of them unknown` : ''}`
  if (low > 0) return { outcome: 'does not hold', says }
  if (tally.outcome !== 'holds') return { ...tally.judged, says }
  if (scored === 0) return { outcome: 'cannot tell', says, needs: NEEDS.message }
  return unknown > 0 ? { outcome: 'cannot tell', says, needs: NEEDS.lists } : { outcome: 'holds', says }
}
