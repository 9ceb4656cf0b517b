// @node-only: the same core reads the same bytes in every engine

import { generateKey } from 'alvarium-sdk'
import { verifyPack } from 'alvarium-sdk/packs'
import { describe, expect, it, vi } from 'vitest'
import { concat, textOf, utf8 } from '../support/bytes.js'
import { about, evidence, packed } from '../support/packs.js'
import { countedTurns } from '../support/turns.js'
import { type Entry, entriesOf, partChanged, remade, zipOf } from '../support/zip.js'

async function made() {
  const { messages, trust } = await evidence()
  const { bytes } = await packed(messages, { about, trust, at: 0 })
  return { bytes, entries: entriesOf(bytes) }
}

const refused = (pack: Uint8Array) =>
  verifyPack(pack, { itself: true }).then(
    () => 'it verifies',
    ({ code, message }) => `${code} ${message}`,
  )

describe('an evidence pack', () => {
  // claim: packs-1
  it('is a ZIP file, byte for byte equal to an independent writer’s file with the same parts', async () => {
    const { bytes, entries } = await made()
    expect(zipOf(entries)).toEqual(bytes)
    expect(entries.map(({ name }) => name)).toEqual([
      'score.json',
      'trust.json',
      'messages/00000.ndjson',
      'verdict.json',
      'manifest.json',
    ])
  })

  it('has the same bytes each time it is made of the same messages at the same time', async () => {
    const { messages, trust } = await evidence()
    const [one, other] = [0, 1].map(() => packed(messages, { about, trust, at: 1_795_000_000_000 }))
    expect((await one)?.bytes).toEqual((await other)?.bytes)
  })

  // claim: packs-2
  it('is read from a Blob, from a stream, and in chunks of any length', async () => {
    const { bytes } = await made()
    const blob = new Blob([bytes as Uint8Array<ArrayBuffer>])
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
    }
    for (const source of [blob, blob.stream(), pieces()]) {
      expect((await verifyPack(source, { itself: true })).outcome).toBe('holds')
    }
  })

  it('can be read in pieces of one byte each, and the event loop runs in between', async () => {
    const { bytes } = await made()
    async function* pieces() {
      for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1)
    }
    const turns = await countedTurns(1)
    try {
      await verifyPack(pieces())
      // A turn ends after 8 readings of the clock.
      expect(turns.count).toBeGreaterThan(bytes.length / 100)
    } finally {
      turns.end()
    }
  })

  it('has each fault reported with its line number, even in a part with thousands of lines', async () => {
    const { bytes, entries } = await made()
    const wrong = [1, 2_048, 2_049, 5_000]
    const [good] = textOf(entries[2]?.content as Uint8Array).split('\n')
    const lines = Array.from({ length: 5_000 }, (_, at) => (wrong.includes(at + 1) ? 'a' : good))
    const pack = remade(
      bytes,
      partChanged('messages/00000.ndjson', () => lines.map((line) => `${line}\n`).join('')),
    )
    const { faults, verdict } = await verifyPack(pack, { itself: true })
    expect(faults.map(({ line }) => line)).toEqual(wrong)
    expect(verdict.lines.messages).toEqual({ verified: 4_996, refused: 4, unknownSigner: 0 })
  })

  // claim: format-60
  it('is read even if a line is too short for a signed message or set', async () => {
    const { bytes } = await made()
    const changed = remade(bytes, (parts) =>
      parts.flatMap((part): Entry[] => {
        if (part.name === 'trust.json') return [part, { name: 'sets/00000.ndjson', content: utf8('{}\n') }]
        if (part.name !== 'messages/00000.ndjson') return [part]
        return [
          {
            ...part,
            content: concat(utf8(`${'x'.repeat(63)}\n`), part.content, utf8(`${'x'.repeat(64)}\n`)),
          },
        ]
      }),
    )
    const { verdict, faults } = await verifyPack(changed, { itself: true })
    expect(verdict.lines).toMatchObject({ messages: { verified: 3, refused: 2 }, sets: { refused: 1 } })
    expect(faults.map(({ part, line, error }) => `${part}:${line} ${error.message}`.slice(0, 60))).toEqual([
      'sets/00000.ndjson:1 line: expected at least 64 bytes, got fewer'.slice(0, 60),
      'messages/00000.ndjson:1 line: expected at least 64 bytes, got fewer'.slice(0, 60),
      expect.stringContaining('messages/00000.ndjson:5 message: '),
    ])
  })

  // claim: packs-14
  it('is refused after any byte was changed, removed or inserted', async () => {
    const { bytes } = await made()
    for (let at = 0; at < bytes.length; at += 37) {
      const changed = bytes.slice()
      changed[at] = (changed[at] as number) ^ (1 << (at % 8))
      const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
      for (const pack of [changed, concat(before, after.subarray(1)), concat(before, utf8('x'), after)]) {
        expect(await refused(pack), `at ${at}`).toMatch(at < 4 ? /^PACK_UNREADABLE/ : /^MESSAGE_MALFORMED/)
      }
    }
  })

  it('is refused if it is truncated or has trailing bytes', async () => {
    const { bytes } = await made()
    for (const length of [30, 100, bytes.length - 23, bytes.length - 1]) {
      expect(await refused(bytes.subarray(0, length))).toContain('MESSAGE_MALFORMED')
    }
    for (const length of [0, 3, 29]) {
      expect(await refused(bytes.subarray(0, length))).toMatch(/^PACK_UNREADABLE pack: expected a ZIP file/)
    }
    expect(await refused(concat(bytes, utf8('\n')))).toContain(
      'expected the directory of its parts at its end',
    )
  })

  it('is refused if the file is not a ZIP file, with an error that asks for a ZIP file', async () => {
    const message = JSON.stringify({ messageType: 'alvarium.AnnotationBundle/1' })
    expect(await refused(utf8(message))).toContain('pack: expected a ZIP file, got another file')
  })
})

describe('a ZIP file that is read as a pack', () => {
  const other = (change: (entries: Entry[]) => Entry[]) => async () => {
    const { entries } = await made()
    return refused(zipOf(change(entries)))
  }

  // claim: threats-4, packs-23
  it('is refused if its central directory differs from its local headers, because tools would disagree on its content', async () => {
    const renamed = (entries: Entry[]) => entries.map((one) => ({ ...one, listed: { name: `${one.name}x` } }))
    const shorter = (entries: Entry[]) => entries.map((one) => ({ ...one, listed: { bytes: 1 } }))
    for (const change of [renamed, shorter]) {
      expect(await other(change)()).toContain(
        'expected the directory of its parts at its end, got other bytes',
      )
    }
  })

  it('is refused if its parts are repeated, out of order, or have unexpected names', async () => {
    const [first, twice, backwards] = [
      (name: string) => (entries: Entry[]) => [{ name, content: utf8('{}') }, ...entries],
      (entries: Entry[]) => entries.flatMap((one) => [one, one]),
      (entries: Entry[]) => entries.toReversed(),
    ]
    for (const name of [
      '../../etc/passwd',
      '/etc/passwd',
      'trust.json\u0000',
      'README',
      'messages/00001.ndjson',
    ]) {
      expect(await other(first(name))()).toContain('expected a part that may come first')
    }
    expect(await other(twice)()).toContain('expected a part that may follow')
    expect(await other(backwards)()).toContain('expected a part that may come first')
  })

  it('is refused if it contains leases/00001.ndjson although leases/00000.ndjson is not full', async () => {
    const { entries } = await made()
    const parts = ['leases/00000.ndjson', 'leases/00001.ndjson'].map((name) => ({
      name,
      content: utf8('a\n'),
    }))
    const pack = zipOf([...entries.slice(0, 2), ...parts, ...entries.slice(-2)])
    expect(await refused(pack)).toContain(
      'may follow leases/00000.ndjson of 2 bytes, got "leases/00001.ndjson"',
    )
  })

  it.each(['score.json', 'trust.json', 'manifest.json'])(
    'is refused before parsing if its %s has more than 2 MiB',
    async (name) => {
      const { entries } = await made()
      const [least, more] = [2_097_152, 2_097_153].map((bytes) =>
        zipOf(entries.map((one) => (one.name === name ? { name, content: utf8(' '.repeat(bytes)) } : one))),
      )
      expect(await refused(least as Uint8Array)).not.toContain('expected at most')
      expect(await refused(more as Uint8Array)).toBe(
        `MESSAGE_MALFORMED pack: expected at most 2097152 bytes in ${name}, got 2097153`,
      )
    },
  )

  it.each(['score.json', 'trust.json', 'manifest.json'])(
    'is refused before parsing if its %s has too many names, lists or objects',
    async (name) => {
      const { entries } = await made()
      const saying = (text: string) =>
        refused(zipOf(entries.map((one) => (one.name === name ? { name, content: utf8(text) } : one))))
      const names = Array.from({ length: 10_001 }, (_, at) => `"${at}":0`)
      const parse = vi.spyOn(JSON, 'parse')
      expect(await saying(`{${names}}`)).toBe(
        `MESSAGE_MALFORMED ${name}: expected JSON with at most 10000 different names, got more`,
      )
      expect(await saying(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).toBe(
        `MESSAGE_MALFORMED ${name}: expected JSON with at most 35000 lists and objects, got more`,
      )
      expect(parse.mock.calls.map(([text]) => text.length).filter((length) => length > 50_000)).toEqual([])
      parse.mockRestore()
      // One name, list or object less is within the limit: the text is then parsed, and refused for its content.
      expect(await saying(`{${names.slice(1)}}`)).not.toContain('different names')
      expect(await saying(`[${'[],'.repeat(12_000)}0]`)).not.toContain('lists and objects')
    },
  )

  it('does not block the event loop even if it has many short lines', async () => {
    const { bytes } = await made()
    const lines = 'x\n'.repeat(100_000)
    const pack = remade(
      bytes,
      partChanged('messages/00000.ndjson', () => lines),
    )
    const turns = await countedTurns(1)
    try {
      const { verdict } = await verifyPack(pack)
      expect(verdict.lines.messages).toEqual({ verified: 0, refused: 100_000, unknownSigner: 0 })
      // The clock is read every 2,048 lines, and a turn ends after 8 readings.
      expect(turns.count).toBeGreaterThan(100_000 / 2_048 / 10)
    } finally {
      turns.end()
    }
  })

  // claim: format-64
  it('is refused if its trust policy has more than 4,096 public keys, before any of them is read', async () => {
    const { bytes } = await made()
    const withKeys = (count: number) => {
      const half = (name: string, keys: number) => ({ name, keys: Array.from({ length: keys }, () => '?') })
      const trust = { signers: [half('a', 2_048), half('b', count - 2_048)] }
      return remade(
        bytes,
        partChanged('trust.json', () => JSON.stringify(trust)),
      )
    }
    const few = 'at most 4096 public keys'
    expect(await refused(withKeys(4_097))).toBe(`MESSAGE_MALFORMED trust: expected ${few}, got 4097`)
    expect(await refused(withKeys(4_096))).not.toContain(few)
    const own = { keyring: [generateKey().verifyingKey] }
    expect((await verifyPack(withKeys(4_097), own)).verdict.lines.messages.unknownSigner).toBe(3)
  })

  it('does not block the event loop even if it has a long manifest', async () => {
    const { entries } = await made()
    const content = utf8(`{"parts":[${'"a",'.repeat(500_000)}""]}`)
    const pack = zipOf([...entries.slice(0, -1), { name: 'manifest.json', content }])
    const turns = await countedTurns(1)
    try {
      expect(await refused(pack)).toContain('manifest.json.format: expected')
      // The text is read twice, with a reading of the clock every 16,384 characters. A turn ends after 8 readings.
      expect(turns.count).toBeGreaterThan(content.length / 16_384 / 5)
    } finally {
      turns.end()
    }
  })

  it('is refused if its parts are not exactly the parts that its manifest lists', async () => {
    const { entries } = await made()
    const without = (name: string) => zipOf(entries.filter((one) => one.name !== name))
    expect(await refused(without('messages/00000.ndjson'))).toContain(
      'expected the part messages/00000.ndjson',
    )
    expect(await refused(without('manifest.json'))).toContain('needs manifest.json as its last part')
    expect(await refused(without('verdict.json'))).toContain('expected a part that may follow')
    // A part that the manifest lists after the last part of the file is reported as missing, too.
    const more = entries.map((one) => {
      if (one.name !== 'manifest.json') return one
      const manifest = JSON.parse(textOf(one.content))
      manifest.parts.push({ ...manifest.parts.at(-1), name: 'verdict-2.json' })
      return { ...one, content: utf8(JSON.stringify(manifest)) }
    })
    expect(await refused(zipOf(more))).toContain('the part verdict-2.json is missing: it was taken out')
  })

  it('is refused if its manifest lists more parts than a pack can have', async () => {
    const { entries } = await made()
    const [manifest] = entries.slice(-1) as [Entry]
    const parts = `"parts":[${'{},'.repeat(4_200)}`
    const content = utf8(textOf(manifest.content).replace('"parts":[', parts))
    expect(await refused(zipOf([...entries.slice(0, -1), { ...manifest, content }]))).toMatch(
      /^MESSAGE_MALFORMED manifest\.json\.parts: expected at most 4200 parts, got/,
    )
  })

  it('is refused if the header of a part declares more bytes than the part has', async () => {
    const { bytes } = await made()
    const huge = bytes.slice()
    new DataView(huge.buffer).setUint32(18, 2 ** 31, true)
    expect(await refused(huge)).toContain('bytes in score.json, got 2147483648')
    new DataView(huge.buffer).setUint32(18, 2_000_000, true)
    expect(await refused(huge)).toMatch(
      /expected the 2000000 bytes of score\.json, got \d+ bytes and the end of the pack/,
    )
  })

  it('is read even if one proof is nested too deeply', async () => {
    const { bytes } = await made()
    const [digits, depth] = ['0'.repeat(64), 8_000]
    const line = `{"set":"${digits}","key":"${digits}","proof":${'['.repeat(depth)}${']'.repeat(depth)}}\n`
    const pack = remade(bytes, (parts) =>
      parts.flatMap((part) =>
        part.name === 'trust.json' ? [part, { name: 'proofs/00000.ndjson', content: utf8(line) }] : [part],
      ),
    )
    const { verdict } = await verifyPack(pack, { itself: true })
    expect(verdict.lines).toMatchObject({ proofs: { refused: 1 }, messages: { verified: 3 } })
  })

  // claim: format-59
  it('is refused if its manifest is not canonical JSON, because the pack would have two ids', async () => {
    const { entries } = await made()
    const [manifest] = entries.slice(-1) as [Entry]
    for (const [from, to] of [
      ['{', '{ '],
      ['alvarium', '\\u0061lvarium'],
    ] as const) {
      const content = utf8(textOf(manifest.content).replace(from, to))
      expect(await refused(zipOf([...entries.slice(0, -1), { ...manifest, content }]))).toBe(
        'MESSAGE_MALFORMED manifest.json: expected canonical JSON, got JSON in another form',
      )
    }
  })

  it('is refused with an error that does not contain the control characters of a part name', async () => {
    const { bytes } = await made()
    const named = bytes.slice(0, 100)
    named.set(utf8('\u001b[2J'), 30)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what it is about
    expect(await refused(named)).not.toMatch(/\u001b/)
  })

  it('is refused if it contains empty or unfinished lines', async () => {
    const { bytes } = await made()
    for (const content of ['', '\n', '{}\n\n', '{}']) {
      const pack = remade(bytes, (parts) =>
        parts.map((one) => (one.name.startsWith('messages') ? { ...one, content: utf8(content) } : one)),
      )
      expect(await refused(pack), JSON.stringify(content)).toContain('expected a line of 1 to')
    }
  })
})
