import { generateKey } from 'alvarium-sdk'
import { check, type Finding, readRecords } from 'alvarium-sdk/records'
import { type Manifest, openManifest, sealManifest } from 'alvarium-sdk/sets'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { runs } from '../support/runs.js'
import { countedTurns } from '../support/turns.js'

const { signingKey, verifyingKey } = generateKey()
const keyring = [verifyingKey]
const csv = (rows: readonly string[], end = '\n') => ['id,value', ...rows].map((row) => row + end).join('')
const recordsOf = (text: string) => readRecords([utf8(text)], { format: 'csv' })
const ROWS = ['1,a', '2,b', '3,"c\nc"', '4,d', '5,e', '6,f', '7,g', '8,h']

/** Makes a manifest of these rows, and opens it as a reader does. */
async function manifestOf(rows: readonly string[], salt?: Uint8Array): Promise<Manifest> {
  const sealed = await sealManifest(recordsOf(csv(rows)), { signingKey, salt })
  return openManifest(sealed.pieces(), { keyring, salt })
}

async function found(text: string, manifest: Manifest) {
  const checking = check(recordsOf(text), manifest)
  const findings: Finding[] = []
  for await (const finding of checking) findings.push(finding)
  return { findings, counts: checking.counts }
}

/** Writes a finding in short: its kind, its line, and its place in the manifest. */
function inShort(finding: Finding): string {
  const line = 'record' in finding ? ` line ${finding.record.line}` : ''
  const number = 'signed' in finding ? ` signed ${finding.signed.number}` : ''
  return `${finding.kind}${line}${number}`
}

describe('check(), which compares a file with its manifest,', () => {
  it('reports nothing about an unaltered file, whatever its line endings', async () => {
    const manifest = await manifestOf(ROWS)
    for (const text of [csv(ROWS), csv(ROWS, '\r\n'), `\ufeff${csv(ROWS)}`, csv(ROWS).trimEnd()]) {
      const { findings, counts } = await found(text, manifest)
      expect([findings, counts.records, counts.signed]).toEqual([[], 8, 8])
    }
  })

  // claim: manifests-7
  it('names the line of each altered, moved or extra record', async () => {
    const manifest = await manifestOf(ROWS)
    const of = async (rows: readonly string[]) => (await found(csv(rows), manifest)).findings.map(inShort)
    expect(await of(ROWS.with(4, '5,E'))).toEqual(['altered line 7 signed 5'])
    expect(await of(ROWS.toSpliced(4, 1))).toEqual(['missing signed 5'])
    expect(await of(ROWS.toSpliced(4, 0, 'new,'))).toEqual(['extra line 7'])
    expect(await of([...ROWS.slice(1), '1,a'])).toEqual(['moved line 10 signed 1'])
    expect(await of(ROWS.slice(0, -2))).toEqual(['missing signed 7', 'missing signed 8'])
    expect(await of([])).toEqual(ROWS.map((_, at) => `missing signed ${at + 1}`))
  })

  it('reports a removed copy of a record as missing, and an added copy as extra', async () => {
    const rows = ['0,', '1,a', '0,', '0,', '2,b', '0,']
    const manifest = await manifestOf(rows)
    expect((await found(csv(rows), manifest)).findings).toEqual([])
    expect((await found(csv(rows.toSpliced(2, 1)), manifest)).findings.map(inShort)).toEqual([
      'missing signed 4',
    ])
    const { findings } = await found(csv(rows.toSpliced(2, 0, '0,')), manifest)
    expect(findings).toEqual([{ kind: 'extra', record: { number: 5, line: 6 }, isCopy: true }])
  })

  it('reports each record as extra if the manifest was made without records', async () => {
    const manifest = await manifestOf([])
    expect((await found(csv([]), manifest)).findings).toEqual([])
    expect((await found(csv(['1,a']), manifest)).findings.map(inShort)).toEqual(['extra line 2'])
  })

  it('reports the same differences if the manifest has a salt', async () => {
    const manifest = await manifestOf(ROWS, new Uint8Array(32).fill(3))
    const rows = ROWS.with(4, '5,E').toSpliced(1, 1)
    const { findings } = await found(csv([...rows, 'new,']), manifest)
    expect(findings.map(inShort)).toEqual(['missing signed 2', 'altered line 6 signed 5', 'extra line 10'])
  })

  it('refuses a salted manifest without its salt, because each record would seem altered', async () => {
    const sealed = await sealManifest(recordsOf(csv(ROWS)), { signingKey, salt: new Uint8Array(32) })
    const manifest = await openManifest(sealed.pieces(), { keyring })
    expect(() => check(recordsOf(csv(ROWS)), manifest)).toThrow(
      'salt: needs the salt of the manifest, as an option of openManifest or verifyManifest',
    )
  })

  it('accepts 3,000 records whose bytes all share one reused buffer', async () => {
    const rows = Array.from({ length: 3_000 }, (_, at) => `${at},${'x'.repeat(at % 700)}`)
    const manifest = await manifestOf(rows)
    async function* inOneMemory() {
      const memory = new Uint8Array(1_000)
      for await (const record of recordsOf(csv(rows.with(2_999, 'altered,')))) {
        memory.set(record.bytes)
        yield { ...record, bytes: memory.subarray(0, record.bytes.length) }
      }
    }
    const findings: Finding[] = []
    for await (const finding of check(inOneMemory(), manifest)) findings.push(finding)
    expect(findings.map(inShort)).toEqual(['altered line 3001 signed 3000'])
  })

  // claim: manifests-8
  it('reports each removed copy of a record as missing or altered', async () => {
    const few = fc.array(fc.constantFrom('0,', '1,', '2,', '3,'), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(few, few, async (before, after) => {
        const { counts } = await found(csv(after), await manifestOf(before))
        const { records, signed, altered, missing, extra, moved, twice } = counts
        const count = (rows: readonly string[], row: string) => rows.filter((one) => one === row).length
        const lost = ['0,', '1,', '2,', '3,'].map((row) =>
          Math.max(0, count(before, row) - count(after, row)),
        )
        expect([records, signed, twice]).toEqual([after.length, before.length, 0])
        expect(altered + missing).toBe(lost.reduce((sum, one) => sum + one, 0))
        expect(records - altered - extra).toBe(signed - altered - missing)
        if (`${before}` === `${after}`) expect(altered + missing + extra + moved).toBe(0)
      }),
      runs(100),
    )
  })

  it('compares the records of a sorted file in the order of the column `by`', async () => {
    const manifest = await manifestOf(ROWS)
    const sorted = readRecords([utf8(csv(ROWS.toReversed().with(0, '8,H')))], { format: 'csv', by: 'id' })
    const findings: Finding[] = []
    for await (const finding of check(sorted, manifest)) findings.push(finding)
    expect(findings.map(inShort)).toEqual(['altered line 2 signed 8'])
  })

  it('refuses a file with more records than the option maxRecords permits', async () => {
    const checking = check(recordsOf(csv(ROWS)), await manifestOf(ROWS), { maxRecords: 7 })
    const all = async () => {
      for await (const _ of checking);
    }
    await expect(all()).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' })
  })

  it('works in many short steps, even if all payload keys begin with the same 56 digits', async () => {
    const keys = Array.from({ length: 20_000 }, (_, at) => {
      return `${'ab'.repeat(28)}${((at * 48_271) % 65_521).toString(16).padStart(8, '0')}`
    })
    const sealed = await sealManifest(keys, { signingKey })
    const manifest = await openManifest(sealed.pieces(), { keyring })
    const turns = await countedTurns(9)
    try {
      const { counts } = await found(csv(ROWS), manifest)
      expect([counts.extra, counts.missing]).toEqual([8, 20_000])
      expect(turns.count).toBeGreaterThan(5)
    } finally {
      turns.end()
    }
  })
})
