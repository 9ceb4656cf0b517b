import { describe, expect, it } from 'vitest'
import { AT_ONCE, BATCH, CONTESTANTS, type Sample, SLICE_MS } from '../../examples/demo/race.js'
import packageJson from '../../package.json' with { type: 'json' }
import { RacePanel } from './page/race.js'
import { longVisit, MAYBE_BOTH } from './page/visits.js'

const ANNOTATORS = 3
const IDS = CONTESTANTS.map(({ id }) => id)

/** The signatures and annotations that each contestant must verify before the timing. */
const VERIFIED: Readonly<Record<string, [signatures: number, annotations: number]>> = {
  'each-webcrypto': [ANNOTATORS, ANNOTATORS],
  'each-noble': [ANNOTATORS, ANNOTATORS],
  'once-webcrypto': [1, ANNOTATORS],
  'once-webcrypto-together': [AT_ONCE, AT_ONCE * ANNOTATORS],
  'once-noble': [1, ANNOTATORS],
  sdk: [1, ANNOTATORS],
  'sdk-together': [AT_ONCE, AT_ONCE * ANNOTATORS],
  'sdk-batch': [1, BATCH * ANNOTATORS],
}

interface Result {
  readonly id: string
  readonly absent?: string
  readonly verified: { readonly signatures: number; readonly annotations: number }
  readonly microsPerCall: { readonly median: number; readonly lower: number; readonly upper: number }
  readonly samples: readonly Sample[]
}

describe.each(MAYBE_BOTH)('the speed race on the demo page in %s', (name) => {
  const visit = longVisit(name, { listensFor: ['error', 'warn'] })
  const race = () => new RacePanel(visit())

  it('ends with a table that has, for each contestant, the speed or the reason why there is none', async () => {
    await visit().openHood()
    await race().choose('Annotators', ANNOTATORS)
    await race().choose('Payload', 100)
    await race().choose('Rounds', 10)
    await race().press('Start the race')
    await race().says(/Finished\./)
    await race().says(/10 of 10 rounds/)
    await race().press('Show the other six')
    for (const id of IDS) {
      const [row] = await race().rows(id)
      expect(row?.join(' '), id).toMatch(/\d\/s.* ×$|Not here: .+\.$/)
    }
  })

  it('compares this SDK with a contestant that signs each annotation, and shows the ratio of the two rates', async () => {
    await race().press('Show two of them')
    const rows = (await Promise.all(IDS.map((id) => race().rows(id)))).flat()
    expect(rows).toHaveLength(2)
    const rates = rows.map(([, rate = '']) => Number(/^[\d,]+/.exec(rate)?.[0].replaceAll(',', '')))
    const [each = 0, ours = 0] = rates
    expect(Number.parseFloat(rows[1]?.[2] ?? '')).toBeCloseTo(ours / each, ours / each >= 10 ? 0 : 1)
  })

  it('exports its result as a file that contains all data for checking the result', async () => {
    const { name: file, text } = await race().saved('Download result (JSON)')
    expect(file).toBe('alvarium-race.json')
    const result = JSON.parse(text)
    expect(result).toMatchObject({
      format: 'alvarium-race/1',
      outcome: 'finished',
      rounds: 10,
      userAgent: expect.stringMatching(name === 'firefox' ? /Firefox\// : /Chrome\//),
      cores: expect.any(Number),
      clockStepMs: expect.any(Number),
      versions: {
        'alvarium-sdk': packageJson.version,
        '@noble/ed25519': packageJson.devDependencies['@noble/ed25519'],
        '@noble/hashes': packageJson.devDependencies['@noble/hashes'],
      },
      settings: { cells: [{ annotators: ANNOTATORS, payloadBytes: 100 }], rounds: 10, sliceMs: SLICE_MS },
      cells: [{ annotators: ANNOTATORS, payloadBytes: 100 }],
    })
    const results: Result[] = result.cells[0].contestants
    expect(results.map(({ id }) => id)).toEqual(IDS)
    for (const one of results) expectComplete(one)
    expect(results.filter(({ absent }) => absent).every(({ id }) => id.includes('webcrypto'))).toBe(true)
  })

  it('ends when the visitor stops it, and shows the results so far', async () => {
    await race().choose('Rounds', 100)
    await race().press('Start the race')
    await race().says(/\d of 100 rounds/)
    await race().press('Stop')
    await race().says(/Stopped\./)
    const { text } = await race().saved('Download result (JSON)')
    expect(JSON.parse(text)).toMatchObject({ outcome: 'stopped', settings: { rounds: 100 } })
  })

  it('draws the two charts of the published report, each with a table of the published values', async () => {
    await race().press('Run the report’s table')
    await race().says(/\d of 10 rounds/)
    await race().press('Stop')
    await race().says(/Stopped\./)
    for (const id of IDS) {
      const rows = await race().rows(id)
      expect(rows, id).toHaveLength(2)
      for (const row of rows)
        expect(row.slice(1).join(' '), id).toMatch(/^(\d[\d,.]* (µs|ms|s) ?){4,5}$|Not here: /)
    }
    await race().says(/As published in May 2024, other machine.*Java676 µs1\.46 ms2\.24 ms3\.06 ms4\.20 ms/)
  })

  it('draws the charts in the colours of the theme, and again when the theme changes', async () => {
    for (const theme of ['Light', 'Dark'] as const) {
      await race().theme(theme)
      const [byAnnotators = 0, bySize = 0, ...more] = await race().linePixels()
      expect(Math.min(byAnnotators, bySize), theme).toBeGreaterThan(0)
      expect(more).toEqual([])
    }
  })

  it('logs no error and no warning to the console', () => {
    expect(visit().problems).toEqual([])
  })
})

describe('the speed race on the demo page over plain HTTP', () => {
  const flags = ['--host-resolver-rules=MAP race.example 127.0.0.1']
  // Chromium warns such pages that they cannot be isolated.
  const expected = /Cross-Origin-Opener-Policy header has been ignored/
  const visit = longVisit('chromium', { host: 'race.example', expected }, flags)

  it('reports that WebCrypto is missing, and runs with all remaining contestants', async () => {
    await visit().openHood()
    const race = new RacePanel(visit())
    await race.choose('Payload', 100)
    await race.choose('Rounds', 10)
    await race.press('Start the race')
    await race.says(/Finished\./)
    await race.press('Show the other six')
    for (const id of IDS) {
      const [row] = await race.rows(id)
      const expected = id.includes('webcrypto') ? 'Not here: WebCrypto is there only on pages' : '/s'
      expect(row?.[1], id).toContain(expected)
    }
  })
})

function expectComplete({ id, absent, verified, microsPerCall, samples }: Result): void {
  if (absent !== undefined) {
    expect(absent, id).toMatch(/WebCrypto/)
    return
  }
  const [signatures, annotations] = VERIFIED[id] ?? []
  expect(verified, id).toEqual({ signatures, annotations })
  expect(samples, id).toHaveLength(10)
  expect(Math.min(...samples.map(({ ms }) => ms)), id).toBeGreaterThanOrEqual(SLICE_MS)
  const micros = samples.map(({ calls, ms }) => (1000 * ms) / calls)
  expect(microsPerCall.lower, id).toBeGreaterThanOrEqual(Math.min(...micros))
  expect(microsPerCall.upper, id).toBeLessThanOrEqual(Math.max(...micros))
  expect(microsPerCall.median, id).toBeGreaterThanOrEqual(microsPerCall.lower)
  expect(microsPerCall.median, id).toBeLessThanOrEqual(microsPerCall.upper)
}
