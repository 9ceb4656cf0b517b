import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const main = join(import.meta.dirname, '../../bench/main.mjs')

interface Saved {
  readonly samples: number[]
  readonly bytes?: number
  readonly garbage?: { readonly heapBytes: number }
}

interface Result {
  readonly effort: { readonly isQuick: boolean }
  readonly rows: { readonly label: string; readonly contenders: Record<string, Saved> }[]
}

const bench = async (folder: string, ...suites: string[]) => {
  const { stdout } = await run(process.execPath, [main, ...suites, '--quick', '--to', folder])
  return stdout
}

describe('a quick run of the bench suites', () => {
  let folder: string
  let output: string
  const result = async (suite: string): Promise<Result> =>
    JSON.parse(await readFile(join(folder, `${suite}.json`), 'utf8'))

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'alvarium-bench-test-'))
    output = await bench(folder, 'serialization', 'connected', 'roundtrip')
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('reports that it is too short to compare its figures with the performance limits', () => {
    expect(output).toContain('a quick run is too short to judge them')
  })

  it('writes the figures of each suite and one report into the folder of --out', async () => {
    const files = ['connected.json', 'report.html', 'roundtrip.json', 'serialization.json']
    expect((await readdir(folder)).sort()).toEqual(files)
  })

  it('draws every chart and every table into a report that loads nothing from elsewhere', async () => {
    const report = await readFile(join(folder, 'report.html'), 'utf8')
    for (const suite of ['serialization', 'connected', 'roundtrip']) {
      expect(report).toContain(`<h2 id="${suite}">`)
    }
    expect(report.match(/<figure>/g)).toHaveLength(7)
    // The chart of garbage is too wide for the page and is split in two.
    expect(report.match(/<table>/g)).toHaveLength(5)
    const [shown] = report.split('<script>')
    expect(shown).not.toMatch(/NaN|undefined|Infinity|https?:|<link/)
    expect(report).not.toMatch(/<script [^>]*src|@import|url\(/)
  })

  it('measures the core, JSON.stringify and all other compared serializers', async () => {
    const { rows } = await result('serialization')
    for (const { contenders } of rows) {
      const others = ['core, cbor()', 'built, JSON', 'fast-json', 'msgpackr', 'cbor-x', 'protobufjs']
      expect(Object.keys(contenders).sort()).toEqual(['core', 'JSON', ...others].sort())
      expect(contenders['core']?.bytes).toBe(contenders['JSON']?.bytes)
      // In JSON, a whole message has 270 bytes around the bundle.
      expect(contenders['core, cbor()']?.bytes).toBeLessThan((contenders['core']?.bytes as number) + 270)
      expect(contenders['JSON']?.garbage?.heapBytes).toBeGreaterThan(0)
    }
  })

  it('times calls with and without a broker, one at a time and 64 in flight', async () => {
    const { rows } = await result('connected')
    expect(rows.map(({ label }) => label)).toContain('create, 64 in flight')
    for (const { contenders } of rows) {
      expect(Object.keys(contenders)).toEqual(expect.arrayContaining(['memory', 'QoS 0', 'QoS 1']))
    }
  })

  it('times each round trip separately', async () => {
    const { rows, effort } = await result('roundtrip')
    expect(effort.isQuick).toBe(true)
    expect(rows.map(({ label }) => label)).toEqual(['10', '10,000', '100,000', '1,000,000'])
    for (const { contenders } of rows) expect(contenders['QoS 1']?.samples).toHaveLength(40)
  })
})

describe('the bench command with an unknown suite', () => {
  it('ends with exit code 1 and an error that lists the suites', async () => {
    await expect(bench(tmpdir(), 'speed')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^suite: expected one of .*serialization.*, got speed\n$/),
    })
  })
})
