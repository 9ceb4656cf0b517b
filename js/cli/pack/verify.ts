import { type VerifiedPack, verifyPack } from 'alvarium-sdk/packs'
import { AlvariumError } from '../../base/errors.js'
import { LONGEST_PACK } from '../../packs/zip.js'
import { sourceOf } from '../input/source.js'
import { receivedAtOf, type StoredOptions, trustedAt } from '../keys/trusted.js'
import { EXIT, type ExitCode, type Run, type Session } from '../session.js'
import { ProgressLine } from '../terminal/progress.js'
import { green, red, type Shown, shown, yellow } from '../terminal/shown.js'
import { bar, count } from '../terminal/words.js'
import { scoreIn } from './policies.js'

/** What `alvarium pack verify` can be asked for. */
interface VerifyOptions extends StoredOptions {
  readonly score?: string
  readonly json?: boolean
}

export const run: Run<VerifyOptions> = async ([path = ''], options, session) => {
  const { key, trust, json = false } = options
  // The policy in the pack judges by it too.
  const trusted = key || trust ? await trustedAt(options) : { receivedAt: receivedAtOf(options.receivedAt) }
  const score = await scoreIn(options.score)
  session.begin()
  try {
    const found = await read(path, { ...trusted, score, maxBytes: LONGEST_PACK }, session)
    if (session.interrupted.aborted) return EXIT.interrupted
    if (json) await session.out.json(jsonOf(found))
    else for (const row of rowsOf(found)) await session.out.line(row)
    return exitFor(found)
  } catch (error) {
    if (!isAltered(error) || session.interrupted.aborted) throw error
    if (json) await session.out.json({ isGood: false, code: error.code, message: error.message })
    else await session.out.line(shown`${red('✗')} ${error.message}`)
    return EXIT.no
  }
}

async function read(path: string, options: Parameters<typeof verifyPack>[1], session: Session) {
  let share = 0
  const progress = new ProgressLine(session, () => shown`${bar(share)}`)
  progress.begin()
  const onProgress = ({ bytes, size }: { bytes: number; size: number | undefined }) => {
    share = size ? bytes / size : 0
  }
  try {
    return await verifyPack(sourceOf(path, session.input).bytes(), { ...options, onProgress })
  } finally {
    progress.end()
  }
}

/** More nobody reads. */
const MOST_ROWS = 20

/** Whether the file is no pack, or not as it was made. */
export function isAltered(error: unknown): error is AlvariumError {
  return error instanceof AlvariumError && error.code === 'MESSAGE_MALFORMED'
}

/** What it shows, for people. */
export function rowsOf({ isGood, says, faults, id, verdict }: VerifiedPack): Shown[] {
  const rows = faults.slice(0, MOST_ROWS).map(({ part, line, error }) => {
    const mark = error.code === 'SIGNER_UNKNOWN' ? yellow('?') : red('✗')
    return shown`${mark} ${part}:${line}  ${error.code}  ${error.message}`
  })
  // Of very many, not all are kept.
  const bad = Object.values(verdict.lines).map(({ refused, unknown }) => refused + unknown)
  const more = bad.reduce((sum, one) => sum + one, -rows.length)
  if (more > 0) rows.push(shown`  ${count(more)} more: --json shows the first 1,000`)
  return [...rows, shown`${isGood ? green('✓') : red('✗')} ${says}`, shown`  id ${id}`]
}

function jsonOf({ fabric: _, policy: __, lowest: ___, faults, ...found }: VerifiedPack): object {
  return {
    ...found,
    faults: faults.map(({ part, line, error }) => ({ part, line, code: error.code, message: error.message })),
  }
}

/** By what it shows. */
export function exitFor({ isGood, isClaimed, verdict }: VerifiedPack): ExitCode {
  if (isGood) return EXIT.yes
  const { lines, whole, logs } = verdict
  const isRefused = Object.values(lines).some(({ refused }) => refused > 0)
  const isMissing = whole.missing > 0 || logs.some((log) => log.verdict === 'incomplete')
  const isUnknown = Object.values(lines).some(({ unknown }) => unknown > 0)
  const isEmpty = isClaimed && verdict.payloads === 0
  return (isUnknown || isEmpty) && !isRefused && !isMissing ? EXIT.unknown : EXIT.no
}
