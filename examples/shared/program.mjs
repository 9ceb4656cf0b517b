/** Setup for programs that people run: an uncaught error prints one line, and ends with exit code 2. */
import { red } from './terminal.mjs'

process.on('uncaughtException', ({ message, cause }) => {
  // Add the code of the cause, which is the only reason that `fetch` gives.
  const why = /** @type {NodeJS.ErrnoException | undefined} */ (cause)?.code
  console.error(red(`✗ ${message}${why && !message.includes(why) ? ` (${why})` : ''}`))
  process.exit(2)
})

/**
 * Returns the arguments of this program.
 *
 * @param {string} usage name of the program, and a word for each argument
 * @returns {[string, string, string, string]}
 * @throws {Error} with the usage if an argument is missing
 */
export function given(usage) {
  const args = process.argv.slice(2)
  if (args.length < usage.split(' ').length - 1) throw new Error(`usage: node ${usage}`)
  return /** @type {[string, string, string, string]} */ (args)
}

/**
 * Returns an argument that is a whole number of 1 or more.
 *
 * @param {number} place 0 for the first argument
 * @param {number} usual default value
 */
export function numberGiven(place, usual) {
  const text = process.argv[2 + place] ?? `${usual}`
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`expected a whole number of 1 or more, got ${text}`)
  return Number(text)
}
