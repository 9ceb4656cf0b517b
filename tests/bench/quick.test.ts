import { expect, it } from 'vitest'
import { quick } from '../../bench/quick.mjs'

it('the quick bench prints one table of ratios, and advises a second run if results are implausible', async () => {
  const printed: string[] = []
  const told: string[] = []
  const settings = {
    seconds: 0,
    print: (text: string) => printed.push(text),
    tell: (text: string) => told.push(text),
  }
  const isRight = await quick(settings)
  const [table = '', note = ''] = printed
  const [heads, ...rows] = table.trim().split('\n')
  expect(heads?.split(/ {2,}/)).toEqual(['CPU time', 'alvarium-sdk', 'node:crypto', 'jose', 'noble'])
  expect(rows.map((row) => row.split(/ {2,}/)[0])).toEqual([
    'create, 100 bytes, 5 annotators',
    'create, 20,000 bytes, 5 annotators',
    'verify, 5 annotations',
  ])
  for (const row of rows) expect(row).toMatch(/ {2}[\d.]+ µs(?: {2,}[\d.]+× ± \d+ %){3}$/)
  expect(told).toHaveLength(2)
  expect(note.includes('run it again')).toBe(!isRight)
})
