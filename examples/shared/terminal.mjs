/** Formats output of the examples: colours if the terminal supports them, numbers, and aligned columns. */

const isColoured = process.stdout.isTTY === true && !process.env.NO_COLOR

/** @param {number} code SGR code (ECMA-48 8.3.117) */
const colour = (code) => (/** @type {unknown} */ text) =>
  isColoured ? `\x1b[${code}m${text}\x1b[0m` : `${text}`

export const bold = colour(1)
export const dim = colour(2)
export const red = colour(31)
export const green = colour(32)

const thousands = new Intl.NumberFormat('en-US')

/** @param {number} number */
export const count = (number) => thousands.format(Math.round(number))

/** Shortens a long hexadecimal text to its first 12 digits. @param {string} hex */
export const short = (hex) => `${hex.slice(0, 12)}…`

/** Formats an annotation with ✓ or ✗. @param {{ kind: string, isSatisfied: boolean }} annotation */
export const answer = ({ kind, isSatisfied }) =>
  isSatisfied ? `${kind} ${green('✓')}` : `${kind} ${red('✗')}`

/** Formats a size as 304 KiB or 17 MiB. @param {number} bytes */
export function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`
  if (bytes < 1024 * 1024) return `${count(bytes / 1024)} KiB`
  return `${count(bytes / (1024 * 1024))} MiB`
}

/** Formats a duration as 7 s or 3 min 20 s. @param {number} seconds */
export function duration(seconds) {
  const whole = Math.ceil(seconds)
  return whole < 60 ? `${whole} s` : `${count(Math.floor(whole / 60))} min ${whole % 60} s`
}

/**
 * Returns rows with aligned columns: the first column to the left, and the others, which are numbers, to the
 * right.
 *
 * @param {string[][]} rows the first row is the heading
 */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows.map((row, index) => {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
    )
    const line = `  ${cells.join('   ')}`
    return index === 0 ? dim(line) : line
  })
}
