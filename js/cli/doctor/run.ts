import { AlvariumError } from '../../foundation/base/errors.js'
import {
  type BrokerReport,
  type CheckProgress,
  checkBroker,
  type PromiseName,
} from '../../transport/doctor/doctor.js'
import { type BrokerOptions, connectionOf } from '../broker-options.js'
import { EXIT, exitOf, type Run, type Session } from '../session.js'
import { showProgress } from '../terminal/progress.js'
import { safeText } from '../terminal/safe-text.js'
import { count } from '../terminal/words.js'
import { brokerRows, OUTCOME_OF } from './report.js'

interface DoctorOptions extends BrokerOptions {
  readonly only?: PromiseName[]
  readonly messages: number
  readonly largest: number
  readonly timeout: number
  readonly restart?: boolean
  readonly json?: boolean
}

export const run: Run<DoctorOptions> = async ([url = ''], options, session) => {
  const { out, interrupted } = session
  try {
    const report = await reportOn(url, options, session)
    await out.show(options.json, report, () => brokerRows(report))
    return exitOf(OUTCOME_OF[report.verdict])
  } catch (error) {
    if (!options.json || interrupted.aborted || !(error instanceof AlvariumError)) throw error
    await out.json({ verdict: 'unknown', code: error.code, error: error.message })
    return EXIT.unknown
  }
}

async function reportOn(url: string, options: DoctorOptions, session: Session): Promise<BrokerReport> {
  const { only, messages, largest, timeout, restart } = options
  const connection = await connectionOf(url, options)
  session.begin()
  let now: CheckProgress = { step: 'connecting', done: 0, of: 0 }
  const line = () =>
    now.of > 1 ? safeText`${now.step}: ${count(now.done)} of ${count(now.of)}` : safeText`${now.step}`
  const onProgress = (update: CheckProgress) => {
    now = update
    if (restart && update.step.startsWith('restart')) void session.err.line(safeText`${update.step}`)
  }
  return showProgress(session, line, () =>
    checkBroker({
      ...connection,
      promises: only,
      messages,
      largestBytes: largest,
      timeoutMs: timeout * 1_000,
      restart,
      signal: session.interrupted,
      onProgress,
    }),
  )
}
