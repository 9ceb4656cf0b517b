import { percentOf } from 'alvarium-sdk/judge'
import { EXIT, type Run } from '../session.js'
import { shown, yellow } from '../terminal/shown.js'
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
  let [isEnough, isNothing] = [true, true]
  for (const known of confidence.payloads()) {
    const score = confidence.score(known)
    isNothing = false
    if (percentOf(score) < min) isEnough = false
    if (json) await session.out.json(jsonOf(known, score))
    else await session.out.line(rowOf(known, score))
  }
  if (!isEnough) return EXIT.no
  if (!isNothing || session.interrupted.aborted) return code
  await session.err.line(shown`${yellow('?')} no message was about any payload, so there is no score`)
  return code === EXIT.no ? code : EXIT.unknown
}
