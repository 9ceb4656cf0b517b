import { EXIT, type Run } from '../session.js'
import { type GatherOptions, gathered } from './gather.js'
import { jsonOf, rowOf } from './report.js'

/** What `alvarium score` can be asked for. */
interface ScoreOptions extends GatherOptions {
  readonly min?: number
  readonly json?: boolean
}

export const run: Run<ScoreOptions> = async (sources, options, session) => {
  const { confidence, code } = await gathered(sources, options, session)
  const { min = 0, json = false } = options
  let isEnough = true
  for (const known of confidence.payloads()) {
    const score = confidence.score(known)
    if (100 * score < min) isEnough = false
    if (json) await session.out.json(jsonOf(known, score))
    else await session.out.line(rowOf(known, score))
  }
  return isEnough ? code : EXIT.no
}
