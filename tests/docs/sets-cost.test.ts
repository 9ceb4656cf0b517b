import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { chartOf } from '../../bench/sets/chart.mjs'
import figures from '../../bench/sets/figures.json' with { type: 'json' }

const page = (name: string) => readFile(new URL(`../../examples/guide/${name}`, import.meta.url), 'utf8')

it('the chart of the cost of sets shows the latest figures (node bench/sets/draw.mjs)', async () => {
  expect(await page('sets-cost.svg')).toBe(chartOf(figures.rows))
})

// claim: sets-20
it("the table of the cost of sets has the chart's figures, for up to ten million payload keys", async () => {
  const text = await page('sets.md')
  expect(figures.rows.map(({ count }) => count)).toEqual([10_000, 100_000, 1_000_000, 10_000_000])
  for (const row of figures.rows) {
    const [count, memory, member, absent] = [row.count, row.peakMib, row.memberBytes, row.absentBytes].map(
      (number) => Math.round(number).toLocaleString('en-US'),
    )
    const seal = Number(row.sealS.toPrecision(2))
    const [prove, verify] = [row.proveMicros, row.verifyMicros].map((micros) => (micros / 1_000).toFixed(2))
    expect(text).toContain(
      `| ${count} | ${seal} s | ${memory} MiB | ${member} | ${absent} | ${prove} ms | ${verify} ms |`,
    )
  }
})
