import { cpus } from 'node:os'
import { EXIT, type Run } from '../session.js'
import { ProgressLine } from '../terminal/progress.js'
import { bold, dim, padded, shown } from '../terminal/shown.js'
import { count } from '../terminal/words.js'
import { median, rounds } from './rounds.js'
import { subjects } from './subjects.js'

/** How long each is measured, after as long again to warm up. */
const MEASURED_MS = 600

export const run: Run<{ readonly json?: boolean }> = async (_, { json = false }, session) => {
  const { out } = session
  const results: { what: string; microseconds: number; each: number[] }[] = []
  const progress = new ProgressLine(session, () => shown`measuring, ${results.length + 1}`)
  progress.begin()
  session.begin()
  for (const { what, once, times } of await subjects()) {
    if (session.interrupted.aborted) break
    const each = await rounds(once, times, MEASURED_MS)
    results.push({ what, microseconds: median(each), each })
  }
  progress.end()
  const machine = `${cpus()[0]?.model ?? 'an unknown processor'}, ${cpus().length} cores, ${process.version}`
  if (json) {
    await out.json({ machine, results })
    return EXIT.yes
  }
  await out.line(dim(machine))
  for (const { what, microseconds, each } of results) {
    const spread = dim(shown`${Math.min(...each).toFixed(1)} to ${Math.max(...each).toFixed(1)}`)
    const rate = `${count(1e6 / microseconds)} a second`
    await out.line(
      shown`${padded(what, 44)}${bold(microseconds.toFixed(1).padStart(7))} µs  ${padded(rate, 18)}${spread}`,
    )
  }
  return EXIT.yes
}
