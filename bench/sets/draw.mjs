// Draws the guide's chart from the figures of the last run with --save:
//
//   node bench/sets/draw.mjs

import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { chartOf } from './chart.mjs'

export const FIGURES = new URL('figures.json', import.meta.url)
const CHART = new URL('../../examples/guide/sets-cost.svg', import.meta.url)

export async function draw() {
  const { rows } = JSON.parse(await readFile(FIGURES, 'utf8'))
  await writeFile(CHART, chartOf(rows))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await draw()
