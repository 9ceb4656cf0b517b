// @node-only: no engine decides it

import { readRecords } from 'alvarium-sdk/records'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'

function* textsOf(parts: readonly string[], count: number): Generator<string> {
  yield ''
  if (count === 0) return
  for (const part of parts) for (const rest of textsOf(parts, count - 1)) yield part + rest
}

/** Returns the records of a text; undefined if the text is refused. */
async function recordsOf(text: string): Promise<string[] | undefined> {
  const records: string[] = []
  try {
    for await (const { bytes } of readRecords([utf8(text)], { format: 'json' }))
      records.push(new TextDecoder().decode(bytes))
  } catch (error) {
    expect(error).toMatchObject({ code: 'PAYLOAD_INVALID' })
    return undefined
  }
  return records
}

function parseIfJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

// claim: records-21
describe('readRecords of JSON, over all combinations of a few tokens,', () => {
  it('finds the same items of an array as JSON.parse, or refuses the text as JSON.parse does', async () => {
    for (const rest of new Set(textsOf(['1', '[2]', '{}', ',', ']', ' '], 4))) {
      const text = `[${rest}`
      const records = await recordsOf(text)
      // readRecords does not parse values: its caller does.
      expect([text, parseIfJson(records && `[${records}]`)]).toEqual([text, parseIfJson(text)])
    }
  })

  it('refuses a sequence of values with any other text between or after them', async () => {
    for (const rest of new Set(textsOf(['1', '{}', '[2]', ',', ']', '}', '\n'], 3))) {
      const outside = rest.replaceAll('[2]', '').replaceAll('{}', '')
      const isRefused = (await recordsOf(`0\n${rest}`)) === undefined
      expect([rest, isRefused]).toEqual([rest, /[,\]}]/.test(outside)])
    }
  })
})

// claim: records-22
describe('readRecords of CSV chooses the separator that is most frequent in the header', () => {
  const separators = [',', ';', '\t', '|']
  const pairs = separators.flatMap((most) =>
    separators.filter((one) => one !== most).map((other) => ({ most, other })),
  )
  const valuesOf = async (header: string, most: string) => {
    const values: unknown[] = []
    for await (const { by } of readRecords([utf8(`${header}\n1${most}2${most}3\n`)], {
      format: 'csv',
      by: 'c',
    }))
      values.push(by)
    return values
  }

  it.each(pairs)('$most, and not $other, wherever $other occurs', async ({ most, other }) => {
    for (const header of [`a${other}b${most}c${most}d`, `a${most}c${most}d${other}e`])
      expect(await valuesOf(header, most)).toEqual(['2'])
  })

  it.each(pairs)(
    '$most, and not $other, even if $other is more frequent in quotation marks',
    async ({ most, other }) => {
      expect(await valuesOf(`"a${other.repeat(5)}"${most}c${most}d`, most)).toEqual(['2'])
    },
  )
})
