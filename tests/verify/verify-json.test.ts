import { keyOf, verifyMessage } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { concat, textOf, utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { genuineMessages, parsed, payload, replaced, written } from '../support/messages.js'
import { keyring, opened, yes } from '../support/sdk.js'

const { create, mutate } = await genuineMessages()
const bundle = await verifyMessage(mutate, { keyring })
const verdict = (message: Uint8Array) => codeOf(() => verifyMessage(message, { keyring }))

const reversed = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return Array.isArray(value) ? value.map(reversed) : value
  }
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, reversed(inner)]),
  )
}
/** Writes every character of every text as an escape. */
const escaped = (json: string) =>
  json.replace(/"([^"]*)"/g, (_, text: string) => {
    const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
  })

describe('a message in another spelling', () => {
  it.each<[string, Uint8Array]>([
    ['after JSON.parse and JSON.stringify', written(parsed(mutate))],
    ['over many lines', utf8(JSON.stringify(parsed(mutate), null, 2))],
    [
      'over many lines of CRLF and tabs',
      utf8(JSON.stringify(parsed(mutate), null, '\t').replaceAll('\n', '\r\n')),
    ],
    ['between white space', concat(utf8(' \t\r\n'), mutate, utf8('\n\n'))],
    ['with its members in another order', written(reversed(parsed(mutate)))],
    ['with every character escaped', utf8(escaped(textOf(mutate)))],
    [
      'with escapes in capitals',
      utf8(escaped(textOf(mutate)).replace(/\\u[0-9a-f]{4}/g, (e) => `\\u${e.slice(2).toUpperCase()}`)),
    ],
    ['with solidus escaped', replaced(mutate, '/1"', '\\/1"')],
    ['as a view of a larger buffer', concat(utf8('xx'), mutate, utf8('yy')).subarray(2, 2 + mutate.length)],
  ])('still verifies, with the same values, %s', async (_, message) => {
    expect(await verifyMessage(message, { keyring })).toEqual(bundle)
  })
})

describe('a message to verify', () => {
  it.each<[string, Uint8Array]>([
    ['when it is empty', new Uint8Array()],
    ['when it is white space', utf8(' \n ')],
    ['when it is no JSON', utf8('hello')],
    ['when it is null', utf8('null')],
    ['when it is a number', utf8('7')],
    ['when it is a text', utf8(JSON.stringify(textOf(create)))],
    ['when it is an array', concat(utf8('['), create, utf8(']'))],
    ['when it is an empty object', utf8('{}')],
    ['when it begins with a byte order mark', concat(new Uint8Array([0xef, 0xbb, 0xbf]), create)],
    ['when it is UTF-16', Uint8Array.from([...create].flatMap((byte) => [byte, 0]))],
    ['when text follows its end', concat(create, utf8('x'))],
    ['when another message follows', concat(create, create)],
    ['when a zero follows', concat(create, new Uint8Array(1))],
    ['when it has a comment', concat(create.subarray(0, 1), utf8('/* */'), create.subarray(1))],
    ['when it has a comma too many', replaced(create, ']}}', '],}}')],
    ['when it lacks a comma', replaced(create, ',"host"', '"host"')],
    ['when it has single quotes', replaced(create, '"edge-7"', "'edge-7'")],
    ['when it has an overlong encoding', concat(...splitAt(create, 'edge', [0xc1, 0xa5]))],
    ['when it is not UTF-8', concat(...splitAt(create, 'edge', [0xff]))],
    ['when it has an encoded surrogate', concat(...splitAt(create, 'edge', [0xed, 0xa0, 0x80]))],
    ['when it has a control character', concat(...splitAt(create, 'edge', [0x0a]))],
    ['when it has a form feed between members', replaced(create, ',"host"', ',\f"host"')],
    ['when it has a no-break space between members', replaced(create, ',"host"', ',\u00a0"host"')],
    ['when it has an unknown escape', replaced(create, 'edge-7', 'edge\\x7')],
    ['when it has half an escape', replaced(create, 'edge-7', 'edge\\u00')],
    [
      'when it ends in an escape',
      create.subarray(0, textOf(create).indexOf('edge')).length
        ? concat(create.subarray(0, textOf(create).indexOf('edge')), utf8('\\'))
        : create,
    ],
    ['when it has a high surrogate alone', replaced(create, 'edge-7', 'edge\\ud83d')],
    ['when it has a low surrogate alone', replaced(create, 'edge-7', 'edge\\ude80')],
    ['when its surrogates are swapped', replaced(create, 'edge-7', 'edge\\ude80\\ud83d')],
    ['when a high surrogate is followed by a letter', replaced(create, 'edge-7', 'edge\\ud83d\\u0061')],
    ['when it has two high surrogates', replaced(create, 'edge-7', 'edge\\ud83d\\ud83d')],
    ['when the answer is "TRUE"', replaced(create, 'true', 'TRUE')],
    ['when the answer is "true1"', replaced(create, 'true', 'true1')],
  ])('is malformed %s', async (_, message) => {
    const error = await failure(() => verifyMessage(message, { keyring }))
    expect(error).toMatchObject({
      code: 'MESSAGE_MALFORMED',
      message: expect.stringMatching(/expected .+, got /),
    })
  })

  it('is malformed when it is cut off anywhere', async () => {
    for (let length = 0; length < mutate.length; length++) {
      expect(await verdict(mutate.subarray(0, length))).toBe('MESSAGE_MALFORMED')
    }
    expect(await verifyMessage(mutate, { keyring })).toEqual(bundle)
  })

  it.each([
    'action',
    'messageType',
    'content',
    'signature',
    'signer',
    'key',
    'previousKey',
    'hash',
    'host',
    'layer',
    'timestamp',
    'annotations',
    'id',
    'kind',
    'tag',
    'isSatisfied',
  ])('is malformed when %s is given twice, with the same value or another', async (member) => {
    const text = textOf(mutate)
    const [, value] = new RegExp(`"${member}":("[^"]*"|true|\\[|\\{)`).exec(text) ?? []
    const whole = value === '{' ? '{}' : value === '[' ? '[]' : value
    for (const twice of [`"${member}":${whole},"${member}":`, `"${member}":"x","${member}":`]) {
      expect(await verdict(replaced(mutate, `"${member}":`, twice))).toBe('MESSAGE_MALFORMED')
    }
  })

  it.each([
    ['objects', '{"a":', '1', '}'],
    ['arrays', '[', '', ']'],
  ])('is malformed when %s are nested deeply, without an internal error', async (_, open, inner, close) => {
    const nested = (depth: number) => open.repeat(depth) + inner + close.repeat(depth)
    const refusal = async (message: Uint8Array) =>
      (await failure(() => verifyMessage(message, { keyring }))).message
    for (const depth of [1, 16, 1000, 100_000]) {
      // Content before its type is parsed by its members: the first level too deep is refused.
      const text = await refusal(utf8(`{"content":${nested(depth)}}`))
      expect(text).toMatch(/expected (no other members|'\{'), got .{1,20}$/)
      expect(await verdict(utf8(nested(depth)))).toBe('MESSAGE_MALFORMED')
      expect(await refusal(replaced(create, '"host":"edge-7"', `"host":${nested(depth)}`))).toContain(
        `expected '"', got`,
      )
    }
    expect((await verifyMessage(create, { keyring })).action).toBe('create')
  })
})

describe('a high surrogate in a message', () => {
  // A reader that combines the two escapes gets a character that JSON.parse does not.
  it.each(['\\ud800\\ue000', '\\ud800\\uffff', '\\udbff\\udfff\\ud800\\ue001'])(
    'makes the message malformed if it is followed by %s',
    async (escapes) => {
      for (let point = 0x10000; point < 0x14000; point += 0x400) {
        const { sdk } = await opened([], { host: String.fromCodePoint(point) })
        const { message } = await sdk.create(payload)
        const forged = replaced(message, String.fromCodePoint(point), escapes)
        expect(await verdict(forged)).toBe('MESSAGE_MALFORMED')
      }
    },
  )
})

describe('the longest message that can be signed', () => {
  it('verifies', async () => {
    const worst = '\u0001'
    const annotators = Array.from({ length: 32 }, (_, at) => yes(`${at}`.padEnd(255, worst)))
    const { sdk, verified } = await opened(annotators, {
      hash: 'none',
      host: worst.repeat(255),
      tag: worst.repeat(1024),
    })
    const [before, after] = [utf8(worst.repeat(65_536)), utf8(worst.repeat(65_535))]
    await sdk.mutate(before, after)
    expect((await verified(after)).previousKey).toBe(keyOf(before, 'none'))
  })
})

/** Returns the message with the first character of `text` replaced by these bytes. */
function splitAt(message: Uint8Array, text: string, bytes: number[]): Uint8Array[] {
  const at = textOf(message).indexOf(text)
  return [message.subarray(0, at), new Uint8Array(bytes), message.subarray(at + 1)]
}

// The core scans texts sixteen bytes at a time.
describe('a string in a JSON message', () => {
  const places = Array.from({ length: 40 }, (_, place) => place)
  const hostWith = (character: string, place: number) => `${'a'.repeat(place)}${character}${'x'.repeat(17)}`

  it.each(['"', '\\', '\n', '\0', '\u001f', ' ', '!', '#', '[', ']', '\u007f', 'ÿ', '😀'])(
    'may contain %j anywhere, and is read as it was signed',
    async (character) => {
      for (const place of places) {
        const host = hostWith(character, place)
        const { sdk, verified } = await opened([], { host })
        await sdk.create(payload)
        await sdk.close()
        expect((await verified(payload)).host).toBe(host)
      }
    },
  )

  it.each(['"', '\\', '\n', '\0', '\u001f'])(
    'makes the message malformed if it contains an unescaped %j',
    async (character) => {
      for (const place of places) {
        const message = replaced(create, '"host":"edge-7"', `"host":"${hostWith(character, place)}"`)
        expect(await verdict(message)).toBe('MESSAGE_MALFORMED')
      }
    },
  )
})
