import { count } from '../shared/terminal.mjs'

const LIVE_EVERY_MS = 100
/** In a log nobody wants to read ten lines a second. */
const LOG_EVERY_MS = 2_000

/**
 * One line that changes, or on something that is no terminal a line from time to time.
 *
 * @param {import('./job.mjs').Job} job
 */
export function showProgress({ tally, verifier }) {
  const isLive = process.stdout.isTTY === true
  const since = performance.now()
  const line = () => {
    const rate = tally.published / ((performance.now() - since) / 1000)
    return `  ${count(tally.calls)} calls · ${count(tally.published)} published · ${count(verifier.total)} verified · ${count(rate)} calls/s`
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
