// npm run bench -- --quick: one table in 30 seconds. CPU time of ours, and of others as multiples of it, in blocks that take turns, so that
// what else the machine does is in all of them.

import { blockOf, openRows } from './quick-rows.mjs'
import { medianOf } from './suites/blocks.mjs'

/** @typedef {import('./quick-rows.mjs').OpenRow} OpenRow */

/** Seconds for all of it, and until the first figures. */
const [LONGEST_S, FIRST_S] = [30, 10]
/** Rounds without which no figure is printed. */
const MIN_ROUNDS = 6
/** A ratio is right if its 95 % interval is within so much of it. */
const MARGIN = 0.1

/**
 * Measures, and prints the table.
 *
 * @param {import('./keys.mjs').Keys} keys
 * @param {{ seconds?: number, print?: (text: string) => void, tell?: (text: string) => void }} [settings]
 * @returns {Promise<boolean>} whether all ratios are right to 10 %
 */
export async function quick(keys, { seconds = LONGEST_S, print = console.log, tell = console.error } = {}) {
  const began = performance.now()
  const elapsed = () => (performance.now() - began) / 1000
  const rows = await openRows(keys)
  let hasShown = false
  for (let round = 0; round < MIN_ROUNDS || elapsed() < seconds; round++) {
    for (const row of rows) await measure(row, round)
    if (hasShown || round + 1 < MIN_ROUNDS || elapsed() < FIRST_S) continue
    hasShown = true
    tell(
      `\nFirst figures, after ${Math.round(elapsed())} s. ${Math.ceil(Math.max(0, seconds - elapsed()))} s are left.\n`,
    )
    tell(tableOf(rows))
  }
  await Promise.all(rows.flatMap(({ contenders }) => contenders.map(({ close }) => close?.())))
  print(`\n${tableOf(rows)}\n`)
  const isRight = rows.every((row) =>
    row.contenders.slice(1).every((_, at) => isNarrow(ratioOf(row, at + 1))),
  )
  print(noteOf(rows[0]?.contenders[0]?.micros.length ?? 0, isRight))
  return isRight
}

/** Has each contender run a block, each round beginning with another one. @param {OpenRow} row @param {number} round */
async function measure({ contenders }, round) {
  for (let at = 0; at < contenders.length; at++) {
    const contender = contenders[(at + round) % contenders.length]
    contender?.micros.push(await blockOf(contender))
  }
}

/** @param {OpenRow} row @param {number} at */
function ratioOf({ contenders }, at) {
  const [ours, other] = [contenders[0]?.micros ?? [], contenders[at]?.micros ?? []]
  return medianOf(other.map((micros, round) => micros / (ours[round] ?? Number.NaN)))
}

/** @param {ReturnType<typeof medianOf>} interval */
const isNarrow = ({ low, median, high }) =>
  high - median <= MARGIN * median && median - low <= MARGIN * median

/** @param {readonly OpenRow[]} rows */
function tableOf(rows) {
  const heads = ['CPU time', 'alvarium-sdk', ...(rows[0]?.contenders.slice(1).map(({ name }) => name) ?? [])]
  const lines = rows.map((row) => [
    row.label,
    `${medianOf(row.contenders[0]?.micros ?? []).median.toFixed(1)} µs`,
    ...row.contenders.slice(1).map((_, at) => ratioText(ratioOf(row, at + 1))),
  ])
  const widths = heads.map((_, at) => Math.max(...[heads, ...lines].map((line) => line[at]?.length ?? 0)))
  return [heads, ...lines]
    .map((line) =>
      line.map((text, at) => (at === 0 ? text.padEnd(widths[at]) : text.padStart(widths[at]))).join('  '),
    )
    .join('\n')
}

/** @param {ReturnType<typeof medianOf>} interval */
function ratioText({ low, median, high }) {
  const half = Math.max(high - median, median - low) / median
  return `${median.toPrecision(2)}× ± ${Math.ceil(100 * half)} %`
}

/** @param {number} rounds @param {boolean} isRight */
function noteOf(rounds, isRight) {
  const facts = `Others as multiples of ours: medians of ${rounds} rounds, with their 95 % interval. Lower is better.`
  if (isRight) return facts
  return `${facts}\nThe machine was too busy: an interval is wider than 10 %. Run it again when less is going on.`
}
