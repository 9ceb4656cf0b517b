import { AlvariumError, generateKey, Keyring, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { type CheckOptions, check, type Finding, readRecords } from 'alvarium-sdk/records'
import { readTrust } from 'alvarium-sdk/trust'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../support/runs.js'
import { countedTurns } from '../support/turns.js'

const DAY_MS = 86_400_000
const encoder = new TextEncoder()
const { signingKey, verifyingKey } = generateKey()
const keyring = new Keyring([verifyingKey])

async function signed(rows: readonly string[], { isBatch = true, key = signingKey } = {}) {
  const stream = memory()
  const sdk = await openSdk({ signingKey: key, annotators: [source()], stream })
  const payloads = rows.map((row) => encoder.encode(row))
  if (isBatch) await sdk.createMany(payloads)
  else for (const payload of payloads) await sdk.create(payload)
  await sdk.close()
  return stream.messages
}

async function found(text: string, messages: readonly Uint8Array[], more: Partial<CheckOptions> = {}) {
  const records = readRecords([encoder.encode(text)], { format: 'csv' })
  const checking = check(records, messages, { keyring, ...more })
  const findings: Finding[] = []
  for await (const finding of checking) findings.push(finding)
  return { findings, counts: checking.counts }
}

/** Writes a finding in short: its kind, its line, and its number when it was signed. */
function inShort(finding: Finding): string {
  const line = 'record' in finding ? ` line ${finding.record.line}` : ''
  const number = 'signed' in finding ? ` signed ${finding.signed.number}` : ''
  const after = 'after' in finding ? ` after ${finding.after?.line ?? 'none'}` : ''
  return `${finding.kind}${line}${number}${after}`
}

const csv = (rows: readonly string[], end = '\n') => ['id,value', ...rows].map((row) => row + end).join('')
const ROWS = ['1,a', '2,b', '3,"c\nc"', '4,d', '5,e', '6,f', '7,g', '8,h']

describe('check(), which compares a file with the signed messages about its records,', () => {
  // claim: records-10
  it('reports nothing about an unaltered file, whatever its line endings', async () => {
    for (const isBatch of [true, false]) {
      const messages = await signed(ROWS, { isBatch })
      for (const text of [csv(ROWS), csv(ROWS, '\r\n'), `\ufeff${csv(ROWS)}`, csv(ROWS).trimEnd()]) {
        const { findings, counts } = await found(text, messages)
        expect(findings).toEqual([])
        expect(counts).toMatchObject({ records: 8, signed: 8 })
      }
    }
  })

  // claim: records-5
  it('names the line at which each altered, moved or extra record begins', async () => {
    const messages = await signed(ROWS)
    const of = async (rows: readonly string[]) => (await found(csv(rows), messages)).findings.map(inShort)
    expect(await of(ROWS.with(4, '5,E'))).toEqual(['altered line 7 signed 5'])
    expect(await of(ROWS.toSpliced(4, 1))).toEqual(['missing signed 5 after 6'])
    expect(await of(ROWS.toSpliced(4, 0, 'new,'))).toEqual(['extra line 7'])
    expect(await of([...ROWS.slice(1), '1,a'])).toEqual(['moved line 10 signed 1 after none'])
    expect(await of(ROWS.slice(1))).toEqual(['missing signed 1 after none'])
    expect(await of(ROWS.with(2, '3,"c\nC"').with(7, '8,H'))).toEqual([
      'altered line 4 signed 3',
      'altered line 10 signed 8',
    ])
  })

  // claim: records-7
  it('reports two missing records and an extra one if one record replaces two', async () => {
    const { findings } = await found(csv(ROWS.toSpliced(3, 2, 'x,')), await signed(ROWS))
    expect(findings.map(inShort)).toEqual([
      'missing signed 4 after 4',
      'missing signed 5 after 4',
      'extra line 6',
    ])
  })

  it('reports each removed or added copy of a record', async () => {
    const rows = ['0,', '1,a', '0,', '0,', '2,b', '0,']
    const messages = await signed(rows)
    expect((await found(csv(rows), messages)).findings).toEqual([])
    expect((await found(csv(rows.toSpliced(2, 1)), messages)).findings.map(inShort)).toEqual([
      'twice line 2 signed 4',
    ])
    const { findings } = await found(csv(rows.toSpliced(2, 0, '0,')), messages)
    expect(findings).toEqual([{ kind: 'extra', record: { number: 5, line: 6 }, isCopy: true }])
  })

  // claim: records-6
  it('reports records that were signed twice, but not messages that were received twice', async () => {
    const messages = await signed(ROWS)
    const again = await signed(ROWS.slice(0, 2))
    const { findings, counts } = await found(csv(ROWS), [...messages, ...messages, ...again, ...again])
    expect(findings.map(inShort)).toEqual(['twice line 2 signed 9', 'twice line 3 signed 10'])
    expect(counts).toMatchObject({ signed: 10, twice: 2, repeated: 10 })
  })

  // claim: records-8
  it('reports a message that does not verify, and does not use its records', async () => {
    const [message] = await signed(ROWS.slice(0, 4))
    const stranger = await signed(ROWS.slice(4, 6), { key: generateKey().signingKey })
    const rest = await signed(ROWS.slice(6))
    const bent = encoder.encode(new TextDecoder().decode(message).replace('"create"', '"transit"'))
    const { findings } = await found(csv(ROWS), [bent, ...stranger, ...rest])
    expect(
      findings
        .slice(0, 2)
        .map((one) => one.kind === 'refused' && [one.message, (one.error as AlvariumError).code]),
    ).toEqual([
      [1, 'SIGNATURE_INVALID'],
      [2, 'SIGNER_UNKNOWN'],
    ])
    expect(findings.slice(2).map(inShort)).toEqual([2, 3, 4, 6, 7, 8].map((line) => `extra line ${line}`))
  })

  // claim: records-12
  it('reports a message as refused if it was received after its signer’s key had expired', async () => {
    const until = new Date(Date.now() + 60_000)
    const key = { key: toHex(verifyingKey), until: until.toISOString() }
    const trust = await readTrust({ signers: [{ name: 'station', keys: [key] }] })
    const messages = await signed(ROWS)
    const atTime = async (receivedAt: Date) =>
      (await found(csv(ROWS), messages, { keyring: trust, receivedAt })).findings
    expect(await atTime(new Date(until.getTime() - 1))).toEqual([])
    const [refused] = await atTime(new Date(until.getTime() + DAY_MS))
    expect(refused).toMatchObject({ kind: 'refused', error: { code: 'SIGNER_EXPIRED' } })
  })

  it('uses only the bundles of one action, by default that of the first bundle', async () => {
    const stream = memory()
    const sdk = await openSdk({ signingKey, annotators: [source()], stream })
    for (const row of ROWS) {
      await sdk.create(encoder.encode(row))
      await sdk.mutate(encoder.encode(row), encoder.encode(`${row},made`))
    }
    await sdk.close()
    const { counts } = await found(csv(ROWS), stream.messages)
    expect(counts).toMatchObject({ signed: 8, others: 8, altered: 0 })
    const made = await found(csv(ROWS.map((row) => `${row},made`)), stream.messages, { action: 'mutate' })
    expect([made.findings, made.counts.signed]).toEqual([[], 8])
  })

  // claim: records-13
  it('compares the records of a sorted file in the order of the column `by`', async () => {
    const messages = await signed(['1,"b;b"', '2,a', '9,c', '10,"e""e"', '11,d'])
    const sorted = 'id,"text"\n2,A\n1,"b;b"\n9,c\n11,d\n10,"e""e"\n'
    const inOrder = async (by: string) => {
      const records = readRecords([encoder.encode(sorted)], { format: 'csv', by })
      const findings: Finding[] = []
      for await (const finding of check(records, messages, { keyring })) findings.push(finding)
      return findings
    }
    expect(await inOrder('id')).toEqual([
      {
        kind: 'altered',
        record: { number: 1, line: 2, by: '2' },
        signed: expect.objectContaining({ number: 2 }),
      },
    ])
    expect((await inOrder('text')).length).toBeGreaterThan(1)
    await expect(inOrder('texts')).rejects.toThrow('by: expected a column of the file (text?), got "texts"')
  })

  it('refuses a file in which two columns have the name in the option `by`', async () => {
    const records = readRecords([encoder.encode('id,id\n1,2\n')], { format: 'csv', by: 'id' })
    await expect(records.next()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: 'by: expected a column that the header names once, got "id"',
    })
  })

  it('does not block the event loop', async () => {
    const messages = await signed(ROWS)
    const records = Array.from({ length: 60_000 }, (_, at) => ({
      bytes: encoder.encode(`${at}`),
      number: at + 1,
    }))
    const turns = await countedTurns(1)
    try {
      const checking = check(records, messages, { keyring })
      let before: number | undefined
      for await (const { kind } of checking) if (kind === 'extra') before ??= turns.count
      expect(checking.counts).toMatchObject({ extra: 60_000, missing: 8 })
      // A turn ends after 8 readings of the clock.
      expect(before).toBeGreaterThan(20)
      expect(turns.count - (before as number)).toBeGreaterThan(100)
    } finally {
      turns.end()
    }
  })

  it('uses only the first 256 characters of a value in the column `by`', async () => {
    const rows = ['x'.repeat(100_000), `${'é'.repeat(300)}"`].map((id) => JSON.stringify({ id }))
    const found: (string | undefined)[] = []
    for await (const { by } of readRecords([encoder.encode(rows.join('\n'))], { format: 'lines', by: 'id' }))
      found.push(by)
    expect(found).toEqual(['x'.repeat(256), 'é'.repeat(256)])
  })

  it('accepts a JSON member as the column `by` only for the format "lines"', async () => {
    const long = '{"at":"\\"1,2","of":[1e3,-5],"id":1234567890123456789}'
    const lines = ['{"id":2}', '{"id":10,"at":"x"}', '{"id":"a"}', 'no JSON', long]
    const found: (string | undefined)[] = []
    for await (const { by } of readRecords([encoder.encode(lines.join('\n'))], { format: 'lines', by: 'id' }))
      found.push(by)
    expect(found).toEqual(['2', '10', 'a', '', '1234567890123456789'])
    for (const format of ['length-prefixed', 'chunks', 'whole'] as const) {
      await expect(readRecords([], { format, by: 'id' }).next()).rejects.toThrow(
        `by: cannot be combined with the format ${format}`,
      )
    }
  })

  // claim: records-11
  it('uses the hash algorithm that each bundle names', async () => {
    for (const hash of ['md5', 'none'] as const) {
      const stream = memory()
      const sdk = await openSdk({ signingKey, annotators: [source()], stream, hash })
      await sdk.createMany(ROWS.map((row) => encoder.encode(row)))
      await sdk.close()
      expect((await found(csv(ROWS.with(1, '2,B')), stream.messages)).findings.map(inShort)).toEqual([
        'altered line 3 signed 2',
      ])
    }
  })

  // claim: records-16
  it('refuses a file or messages with more records than the option maxRecords permits', async () => {
    const messages = await signed(ROWS)
    for (const [rows, some] of [
      [ROWS, []],
      [[], messages],
    ] as const) {
      const error = await found(csv(rows), some, { maxRecords: 7 }).catch((error) => error)
      expect(error).toBeInstanceOf(AlvariumError)
      expect([error.code, error.message]).toEqual([
        'PAYLOAD_INVALID',
        expect.stringContaining('expected at most 7 records, got more'),
      ])
    }
  })

  it('refuses unknown options before it reads the file', () => {
    expect(() => check([], [], { keyring, payload: new Uint8Array() } as CheckOptions)).toThrow(
      'payload: is not a known option',
    )
    expect(() => check([], [], { keyring, action: 'made' as 'create' })).toThrow('action: expected')
  })
})

describe('random edits of a file', () => {
  const kinds = fc.constantFrom('altered', 'missing', 'extra', 'moved', 'none')

  it('are each reported, and nothing else is', async () => {
    const messages = await signed(rowsOf(20))
    await fc.assert(
      fc.asyncProperty(fc.array(kinds, { minLength: 20, maxLength: 20 }), async (edits) => {
        const { findings, counts } = await found(csv(edited(rowsOf(20), edits)), messages)
        const count = (kind: string) => edits.filter((one) => one === kind).length
        expect(counts).toMatchObject({
          altered: count('altered'),
          missing: count('missing'),
          extra: count('extra'),
          moved: count('moved'),
          twice: 0,
        })
        const numbers = findings.flatMap((one) => ('signed' in one ? [one.signed.number] : []))
        const expected = edits.flatMap((kind, at) => (['none', 'extra'].includes(kind) ? [] : [at * 6 + 4]))
        expect(numbers.toSorted((a, b) => a - b)).toEqual(expected)
      }),
      runs(50),
    )
  })

  /** Returns six rows for each edit. The fourth is edited, and some of the others are alike. */
  function rowsOf(count: number): string[] {
    return Array.from({ length: count }, (_, at) => [
      `${at},first`,
      '0,alike',
      `${at},"quoted\n${at}"`,
      `${at},edited`,
      '0,alike',
      `${at},last`,
    ]).flat()
  }

  /** Edits rows from the end on, so that indices stay valid. A moved row goes to the beginning, far from its old place. */
  function edited(rows: readonly string[], edits: readonly string[]): string[] {
    const after = [...rows]
    const moved: string[] = []
    for (const [at, kind] of [...edits.entries()].reverse()) {
      const place = at * 6 + 3
      if (kind === 'altered') after[place] += '!'
      if (kind === 'missing') after.splice(place, 1)
      if (kind === 'extra') after.splice(place, 0, `${at},new`)
      if (kind === 'moved') moved.push(...after.splice(place, 1))
    }
    return [...after.slice(0, 1), ...moved, ...after.slice(1)]
  }
})
