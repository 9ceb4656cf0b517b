import { verifyMessage } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { marksOf, reasonOf, STEPS } from '../../examples/demo/panels/verify/checking.js'
import { flipped, flippedPayload } from '../../examples/demo/panels/verify/flip.js'
import { altered, compare, leavesOf, piecesOf } from '../../examples/demo/panels/verify/tampering.js'
import { textOf, utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { genuineMessages, payload } from '../support/messages.js'
import { keyring } from '../support/sdk.js'
import { golden } from '../support/vectors.js'

const { create, mutate } = await genuineMessages()

/** The message with this field flipped. */
function flip(message: Uint8Array, path: string): Uint8Array {
  const leaf = leavesOf(message).find((one) => one.path === path)
  if (!leaf) throw new Error(`expected a field ${path}`)
  return altered(message, new Map([[path, flipped(leaf.name, leaf.value)]]))
}

describe('the demo page takes a message apart', () => {
  it('into every field that was signed, and those beside them', () => {
    expect(leavesOf(mutate).map(({ path }) => path)).toEqual([
      'action',
      'messageType',
      ...['signature', 'signer', 'key', 'previousKey', 'hash', 'host', 'layer', 'timestamp'].map(
        (name) => `content.${name}`,
      ),
      ...[0, 1].flatMap((n) =>
        ['id', 'kind', 'tag', 'isSatisfied'].map((name) => `content.annotations.${n}.${name}`),
      ),
    ])
  })

  it.each(golden().cases)('and puts it together byte for byte: $name', ({ message }) => {
    const bytes = utf8(message)
    const pieces = piecesOf(bytes, new Map([['action', 'create']]))
    expect(altered(bytes, new Map([['content.layer', 'os']]))).toEqual(
      utf8(message.replace(/"layer":"\w+"/, '"layer":"os"')),
    )
    expect(pieces.map(({ text }) => text).join('')).toBe(
      message.replace(/"action":"\w+"/, '"action":"create"'),
    )
  })

  it('and finds no field in what is no JSON', () => {
    expect(leavesOf(utf8('{"action":'))).toEqual([])
    expect(piecesOf(utf8('{"action":'), new Map())).toEqual([{ text: '{"action":', isChanged: false }])
  })
})

describe('a field of a message that is flipped in the demo page', () => {
  it.each(leavesOf(create).map(({ path }) => path))('fails verification: %s', async (path) => {
    const expected =
      { messageType: 'MESSAGE_MALFORMED', 'content.signer': 'SIGNER_UNKNOWN' }[path] ?? 'SIGNATURE_INVALID'
    expect(await codeOf(() => verifyMessage(flip(create, path), { keyring, payload }))).toBe(expected)
  })

  it('is the signature’s to notice in a mutate too, but for its action', async () => {
    const code = (path: string) => codeOf(() => verifyMessage(flip(mutate, path), { keyring, payload }))
    expect(await code('content.previousKey')).toBe('SIGNATURE_INVALID')
    expect(await code('action')).toBe('MESSAGE_MALFORMED')
  })

  it('is the key’s to notice when it is a payload', async () => {
    const other = flippedPayload(payload)
    expect(await codeOf(() => verifyMessage(create, { keyring, payload: other }))).toBe('PAYLOAD_MISMATCH')
  })

  it.each([
    ['host', '', 'x'],
    ['tag', 'v1', 'v0'],
    ['key', 'none of it', 'none of iu'],
    ['key', '0A', '0B'],
    ['id', '01M7XNDGJA9YWRYZVYCDF1Y03Z', '01M7XNDGJA9YWRYZVYCDF1Y03Y'],
    ['timestamp', '2026-11-20T10:00:00.123456Z', '2026-11-20T10:00:00.123457Z'],
    ['layer', 'host', 'app'],
    ['isSatisfied', true, false],
  ])('has another value of the same form: %s %j', (name, value, expected) => {
    expect(flipped(name, value)).toBe(expected)
  })

  it.each([
    ['{"celsius":21}', '{"celsius":20}'],
    ['no digit', 'no digiu'],
    ['', '\0'],
  ])('or, as a payload, one other bit: %j', (before, after) => {
    expect(textOf(flippedPayload(utf8(before)))).toBe(after)
  })
})

describe('what differs is marked', () => {
  const marked = (before: string, after: string) =>
    compare(before, after)
      .map(({ text, isChanged }) => (isChanged ? `[${text}]` : text))
      .join('')

  it.each([
    ['edge-7', 'edge-7', 'edge-7'],
    ['edge-7', 'edge-6', 'edge-[6]'],
    ['edge-7', 'edge-77', 'edge-7[7]'],
    ['true', 'false', '[false]'],
    ['"create"', '"transit"', '["transit"]'],
    ['""', '"x"', '"[x]"'],
    ['abcdef', 'abef', 'abef'],
  ])('%s, then %s: %s', (before, after, expected) => {
    expect(marked(before, after)).toBe(expected)
  })
})

describe('the checks of the demo page', () => {
  it('have the order of the codes, each after those that passed', () => {
    expect(marksOf('MESSAGE_MALFORMED', true)).toEqual([
      'failed',
      'not reached',
      'not reached',
      'not reached',
    ])
    expect(marksOf('SIGNER_UNKNOWN', true)).toEqual(['passed', 'failed', 'not reached', 'not reached'])
    expect(marksOf('SIGNATURE_INVALID', false)).toEqual(['passed', 'passed', 'failed', 'not asked'])
    expect(marksOf('PAYLOAD_MISMATCH', true)).toEqual(['passed', 'passed', 'passed', 'failed'])
    expect(marksOf(undefined, true)).toEqual(['passed', 'passed', 'passed', 'passed'])
    expect(marksOf(undefined, false)).toEqual(['passed', 'passed', 'passed', 'not asked'])
  })

  it('pass none when verification failed for a reason of its own', () => {
    expect(marksOf('INTERNAL', true)).toEqual(STEPS.map(() => 'not reached'))
  })

  it('name the fields that are not as they were', () => {
    expect(reasonOf('SIGNATURE_INVALID', ['host', 'kind', 'kind'])).toContain('host and kind are not')
    expect(reasonOf('SIGNATURE_INVALID', ['payload', 'tag'])).toContain('tag is not')
    expect(reasonOf('SIGNATURE_INVALID', ['signature'])).toContain('not the signature that the signer made')
  })
})
