import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONTENDERS } from '../../bench/report/contenders.mjs'
import { html } from '../../bench/report/html.mjs'
import { SUITES } from '../../bench/suites/all.mjs'
import { launch } from '../browsers/launch.mjs'

const series = [
  { name: 'ours', values: [50, 51] },
  { name: 'once', values: [85, null] },
]
const drawing = { title: 'by payload', unit: 'µs', scale: 'linear' as const, series }
const charts = [
  { ...drawing, kind: 'lines' as const, labels: ['1', '10'], ticks: [1, 10] },
  {
    ...drawing,
    kind: 'bars' as const,
    labels: ['verify by 64, with a table', 'a row </script> of a long name'],
  },
  { ...drawing, kind: 'lines' as const, labels: ['1', '10'], ticks: [1, 10], isPublished: true },
]
const columns = Array.from({ length: 9 }, (_, at) => ({ head: `column ${at}`, values: ['1,234.5', '6'] }))
const groups = ['', 'ours', 'once', 'each'].map((title) => ({ title, columns }))
const table = { caption: 'create by payload', groups }
const effort = { calls: 20, rounds: 2, isQuick: true }
const machine = {
  cpu: 'a CPU',
  cores: 2,
  load: 0,
  platform: 'linux x64',
  node: 'v20',
  version: '0.1.0',
  at: 'now',
}
const result = {
  suite: 'payload',
  machine,
  effort,
  rows: [],
  verdicts: [],
  shown: { title: 'create', tables: [table], charts },
}
const report = html([result as never])

describe.each(SUITES.map(({ name, contenders, published }) => ({ name, contenders, published })))(
  'in suite $name',
  ({ contenders, published }) => {
    it('each contender has an explanation, and a colour that no other contender of its chart has', () => {
      const shown = [contenders, Object.keys(published?.columns ?? {})]
      expect(shown.flat().filter((name) => !Object.hasOwn(CONTENDERS, name))).toEqual([])
      for (const names of shown) {
        expect(new Set(names.map((name) => CONTENDERS[name]?.colour)).size).toBe(names.length)
      }
    })
  },
)

describe('the first paragraph of the report', () => {
  const values = { ours: [30, 31], once: [44, 49.6], each: [85, 837] }
  const all = Object.entries(values).map(([name, values]) => ({ name, values }))
  const published = { ...charts[2], series: [{ name: 'Rust', values: [83, 813] }] }
  const shown = {
    ...result.shown,
    charts: [{ ...charts[0], title: 'by annotators', series: all }, published],
  }
  const pageOf = (isQuick: boolean) =>
    html([{ ...result, suite: 'annotators', effort: { ...effort, isQuick }, shown } as never])
  const wordsOf = (page: string) => page.slice(0, page.indexOf('<nav')).replaceAll(/\s+/g, ' ')

  it('compares the speed of the package with each contender, below a chart of the published figures', () => {
    const words = wordsOf(pageOf(false))
    expect(words).toContain('One call with 10 annotators and 20,000 bytes takes 31 µs here.')
    expect(words).toContain('takes 1.6 times as long if it signs once per call')
    expect(words).toContain('takes 27 times as long if it works as other SDKs do')
    expect(words).toContain('the Rust SDK took 9.0 times as long as alvarium-sdk, Go 17 and Java 50')
    expect(words).toMatch(/<figcaption>One call, by number of annotators: µs, logarithmic/)
    expect(words.indexOf('<figure>')).toBeLessThan(words.indexOf('One call with 10'))
    for (const name of ['ours', 'Rust']) expect(words).toContain(`&quot;name&quot;:&quot;${name}&quot;`)
  })

  it('has no speed figures after a quick run', () => {
    const words = wordsOf(pageOf(true))
    expect(words).toContain('This was a quick run, which is too short to say how fast anything is.')
    expect(words).not.toMatch(/takes [\d.]+ (?:µs|times)/)
  })
})

describe('the report', () => {
  let browser: Browser
  let page: Page
  const faults: unknown[] = []
  beforeAll(async () => {
    browser = await launch('chromium')
    page = await browser.newPage()
    page.on('pageerror', (error) => faults.push(error))
    page.on('request', (request) => faults.push(request.url()))
    await page.setViewport({ width: 390, height: 800 })
    await page.setContent(report)
  })
  afterAll(() => browser.close())

  it('draws all charts, and loads nothing from elsewhere', async () => {
    const inked = await page.$$eval('canvas', (all) =>
      all.map((canvas) => {
        const { data } = (canvas.getContext('2d') as CanvasRenderingContext2D).getImageData(
          0,
          0,
          canvas.width,
          canvas.height,
        )
        return data.some((part) => part !== 0)
      }),
    )
    expect(inked).toEqual([true, true, true])
    expect(faults).toEqual([])
  })

  it("is no wider than a phone's screen, and its charts need no scrolling", async () => {
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    const charts = await page.$$eval('.chart', (all) =>
      all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
    )
    expect(charts).toEqual([0, 0, 0])
  })

  it('cuts no column at a width of 1,360 pixels, with any number of columns', async () => {
    await page.setViewport({ width: 1360, height: 800 })
    const cut = await page.$$eval('.scroll', (all) =>
      all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
    )
    await page.setViewport({ width: 390, height: 800 })
    expect(cut).toEqual([0])
    expect(await page.$$eval('table:not(.u-legend)', ({ length }) => length)).toBeGreaterThan(1)
  })

  it('has a table of contents with a link to each suite', async () => {
    const links = await page.$$eval('nav a', (all) => all.map((link) => link.getAttribute('href') ?? ''))
    expect(links).toEqual(['#bars-met', '#payload'])
    for (const link of links) expect(await page.$(link)).not.toBeNull()
  })

  it('marks the charts of a quick run, and does not mark the published chart', async () => {
    const marks = await page.$$eval('figcaption', (all) =>
      all.map((caption) => caption.querySelector('b') !== null),
    )
    expect(marks).toEqual([true, true, false])
  })
})
