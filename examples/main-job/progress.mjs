import { count, duration } from '../shared/terminal.mjs'

const LIVE_EVERY_MS = 100
/** Milliseconds between progress lines in a log. */
const LOG_EVERY_MS = 2_000

/**
 * Shows progress: one changing line on a terminal, otherwise a new line every two seconds.
 *
 * @param {import('./job.mjs').Job} job
 * @param {import('./dataset.mjs').Reading} reading
 */
export function showProgress({ tally, verifier }, { share }) {
  const isLive = process.stdout.isTTY === true
  const since = performance.now()
  const line = () => {
    const seconds = (performance.now() - since) / 1000
    const done = share()
    const left = done > 0 ? `${duration((seconds * (1 - done)) / done)} left` : ''
    return `  ${Math.floor(100 * done)} % · ${count(tally.published)} calls published · ${count(verifier.total)} verified · ${count(tally.published / seconds)} calls/s · ${left}`
  }
  const draw = () => process.stdout.write(isLive ? `\r\x1b[K${line()}` : `${line()}\n`)
  const timer = setInterval(draw, isLive ? LIVE_EVERY_MS : LOG_EVERY_MS)
  return {
    end() {
      clearInterval(timer)
      process.stdout.write(isLive ? '\r\x1b[K' : '\n')
    },
  }
}
