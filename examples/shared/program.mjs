/** For programs to run by hand. What one throws is a line of text with exit code 2, not a stack. */
import { red } from './terminal.mjs'

process.on('uncaughtException', ({ message, cause }) => {
  // `fetch` says why in its cause alone.
  const why = /** @type {NodeJS.ErrnoException | undefined} */ (cause)?.code
  console.error(red(`✗ ${message}${why && !message.includes(why) ? ` (${why})` : ''}`))
  process.exit(2)
})

/**
 * The arguments of this program.
 *
 * @param {string} usage its name, and a word for each of them
 * @returns {[string, string, string, string]}
 * @throws {Error} if one is missing: how to call it
 */
export function given(usage) {
  const args = process.argv.slice(2)
  if (args.length < usage.split(' ').length - 1) throw new Error(`usage: node ${usage}`)
  return /** @type {[string, string, string, string]} */ (args)
}

/**
 * A whole number of 1 or more among the arguments.
 *
 * @param {number} place 0 for the first
 * @param {number} usual where it is not given
 */
export function numberGiven(place, usual) {
  const text = process.argv[2 + place] ?? `${usual}`
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`expected a whole number of 1 or more, got ${text}`)
  return Number(text)
}
