import { percentOf } from 'alvarium-sdk/judge'
import type { Judged } from '../../foundation/model/outcome.js'
import type { Run } from '../session.js'
import { conclude, NEEDS } from '../terminal/outcome.js'
import { countOf } from '../terminal/words.js'
import type { Tally } from '../verify/tally.js'
import { type GatherOptions, gather } from './gather.js'
import { jsonOf, rowOf } from './report.js'

interface ScoreOptions extends GatherOptions {
  readonly min?: number
  readonly json?: boolean
}

export const run: Run<ScoreOptions> = async (sources, options, session) => {
  const { confidence, policy, tally } = await gather(sources, options, session)
  const { min = 0, json = false } = options
  let [scored, low] = [0, 0]
  for (const known of confidence.payloads()) {
    const score = confidence.score(known)
    scored++
    if (percentOf(score) < min) low++
    if (json) await session.out.json(jsonOf(known, score))
    else await session.out.line(rowOf(known, score, policy))
  }
  const judged = judgedOf(tally, scored, low > 0 ? `${low} of them below --min ${min}` : undefined)
  return conclude(judged, options, { out: session.err, err: session.err })
}

/** Returns the verdict of the command. @param low - text about payloads below `--min`, if there are any */
function judgedOf(tally: Tally, scored: number, low: string | undefined): Judged {
  const about =
    scored === 0
      ? 'no message was about any payload, so there is no score'
      : `${countOf(scored, 'payload')} scored`
  const says = `${tally.says}; ${about}`
  if (low !== undefined) return { outcome: 'does not hold', says: `${says}, ${low}` }
  if (scored > 0 || tally.outcome !== 'holds') return { ...tally.judged, says }
  return { outcome: 'cannot tell', says, needs: NEEDS.message }
}
