import { verifyMessage } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { marksOf, reasonOf, STEPS } from '../../examples/demo/panels/verify/checking.js'
import { flipped, flippedPayload } from '../../examples/demo/panels/verify/flip.js'
import { edited, leavesOf } from '../../examples/demo/panels/verify/leaves.js'
import { compare, marked, type Piece } from '../../examples/demo/panels/verify/marked.js'
import { membersOf, withMember } from '../../examples/demo/panels/verify/members.js'
import { textOf, utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { genuineMessages, payload } from '../support/messages.js'
import { keyring } from '../support/sdk.js'
import { classicCases, golden } from '../support/vectors.js'

const { create, mutate } = await genuineMessages()

const textIn = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join('')

function flip(message: Uint8Array, path: string): Uint8Array {
  const text = textOf(message)
  const member = membersOf(text).find((one) => one.path === path)
  if (!member) throw new Error(`expected a field ${path}`)
  return utf8(withMember(text, member, flipped(member.name, member.value)))
}

describe('the fields that the demo page finds in a message', () => {
  it('are action, messageType, and the fields of the content and of its annotations', () => {
    expect(leavesOf(textOf(mutate)).map(({ path }) => path)).toEqual([
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

  it.each(golden().cases)(
    'can each be altered without a change to the rest of the bytes: $name',
    ({ message }) => {
      const layer = leavesOf(message).find(({ path }) => path === 'content.layer')
      expect(layer && edited(message, layer, 'os')).toBe(message.replace(/"layer":"\w+"/, '"layer":"os"'))
      expect(textIn(marked(message, message))).toBe(message)
    },
  )

  it('are found in JSON with white space, escapes, nested arrays and objects, and a dot in a name', () => {
    const text = '{ "a" : ["x\\"]", {"b":true, "n": [1e5, null, -2]}],\n"a.b":"\u00e9" }'
    expect(leavesOf(text).map(({ path, value }) => [path, value])).toEqual([
      ['a.0', 'x"]'],
      ['a.1.b', true],
      ['a.b', 'é'],
    ])
    const [, flag] = leavesOf(text)
    expect(flag && edited(text, flag, false)).toBe(text.replace('true', 'false'))
  })

  it.each(['go', 'java', 'rust', 'python'] as const)(
    "are found in the base64 of the %s SDK's messages too",
    (name) => {
      for (const { message, annotations } of classicCases(name)) {
        const kinds = membersOf(message).filter((member) => member.name === 'kind')
        expect(kinds.map(({ value }) => value)).toEqual(annotations.map(({ kind }) => kind))
        for (const kind of kinds)
          expect(membersOf(withMember(message, kind, 'x')).length).toBe(membersOf(message).length)
      }
    },
  )

  it('are an empty list if the JSON is invalid, and at most 400 if the JSON is long', () => {
    expect(leavesOf('{"action":')).toEqual([])
    expect(leavesOf('"text"')).toEqual([expect.objectContaining({ path: '' })])
    expect(leavesOf(`[${'true,'.repeat(100_000)}true]`)).toHaveLength(400)
    expect(leavesOf(`${'['.repeat(5000)}true${']'.repeat(5000)}`)).toHaveLength(1)
  })
})

describe('a field of a message that the demo page alters', () => {
  it.each(leavesOf(textOf(create)).map(({ path }) => path))('makes verification fail: %s', async (path) => {
    const expected =
      { messageType: 'MESSAGE_MALFORMED', 'content.signer': 'SIGNER_UNKNOWN' }[path] ?? 'SIGNATURE_INVALID'
    expect(await codeOf(() => verifyMessage(flip(create, path), { keyring, payload }))).toBe(expected)
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
  ])('has a different value of the same form afterwards: %s %j', (name, value, expected) => {
    expect(flipped(name, value)).toBe(expected)
  })

  it.each([
    ['{"celsius":21}', '{"celsius":20}'],
    ['no digit', 'no digiu'],
    ['', '\0'],
  ])('has one bit flipped if the field is the payload: %j', (before, after) => {
    expect(textOf(flippedPayload(utf8(before)))).toBe(after)
  })
})

describe('the difference that the demo page marks', () => {
  const differing = (before: string, after: string) =>
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
  ])('between %s and %s is shown as %s', (before, after, expected) => {
    expect(differing(before, after)).toBe(expected)
  })
})

describe('an altered message in the demo page', () => {
  it('has a mark at each altered value, and nowhere else', () => {
    const text = textOf(create)
    const now = text.replace('"action":"create"', '"action":"created"').replace('false', 'true')
    expect(marked(text, now).flatMap(({ text, isChanged }) => (isChanged ? [text] : []))).toEqual([
      'd',
      'true',
    ])
    expect(textIn(marked(text, now))).toBe(now)
  })

  it('has a single mark, from its first to its last difference, if it has an additional field', () => {
    expect(marked('{"a":true}', '{"a":true,"b":true}').filter(({ isChanged }) => isChanged)).toEqual([
      { text: ',"b":true', isChanged: true },
    ])
  })
})

describe('the list of checks in the demo page', () => {
  it('shows the failed check after the checks that passed, in the order of verification', () => {
    expect(marksOf('MESSAGE_MALFORMED', { hasPayload: true })).toEqual([
      'failed',
      'not reached',
      'not reached',
      'not reached',
      'not asked',
    ])
    expect(marksOf('SIGNER_UNKNOWN', { hasPayload: true })).toEqual([
      'passed',
      'cannot tell',
      'not reached',
      'not reached',
      'not asked',
    ])
    expect(marksOf('SIGNATURE_INVALID', { hasPayload: false })).toEqual([
      'passed',
      'passed',
      'failed',
      'not asked',
      'not asked',
    ])
    expect(marksOf('PAYLOAD_MISMATCH', { hasPayload: true })).toEqual([
      'passed',
      'passed',
      'passed',
      'failed',
      'not asked',
    ])
    expect(marksOf(undefined, { hasPayload: true })).toEqual([
      'passed',
      'passed',
      'passed',
      'passed',
      'not asked',
    ])
    expect(marksOf(undefined, { hasPayload: false })).toEqual([
      'passed',
      'passed',
      'passed',
      'not asked',
      'not asked',
    ])
  })

  it('shows the signer of a message of another SDK as "not asked", because the message names no signer', () => {
    expect(marksOf('SIGNATURE_INVALID', { hasPayload: true, isClassic: true })).toEqual([
      'passed',
      'not asked',
      'failed',
      'not reached',
      'not asked',
    ])
  })

  it('shows "cannot tell", and not an invalid signature, for a classic message that no key verifies', () => {
    expect(marksOf('SIGNER_UNKNOWN', { hasPayload: true, isClassic: true })).toEqual([
      'passed',
      'cannot tell',
      'not reached',
      'not reached',
      'not asked',
    ])
    expect(reasonOf('SIGNER_UNKNOWN', ['kind'], 'Go')).toContain(
      'altered, or signed by a key that is not here',
    )
  })

  it('ends with the check of the trust policy or, for a batch, with the check of the payload', () => {
    const asked = { hasPayload: true, hasPolicy: true }
    expect(marksOf(undefined, asked).at(-1)).toBe('passed')
    expect(marksOf('SIGNER_REVOKED', asked).slice(-2)).toEqual(['passed', 'failed'])
    expect(marksOf('PAYLOAD_MISMATCH', asked).slice(-2)).toEqual(['failed', 'not reached'])
    const ofBatch = { ...asked, isBatch: true }
    expect(marksOf('SIGNER_EXPIRED', ofBatch).slice(-2)).toEqual(['not reached', 'failed'])
    expect(marksOf('PAYLOAD_MISMATCH', ofBatch).slice(-2)).toEqual(['failed', 'passed'])
    expect(marksOf('SIGNER_NOT_ALLOWED', { hasPayload: false, hasPolicy: true }).slice(-2)).toEqual([
      'not asked',
      'failed',
    ])
  })

  it('shows no check as passed if verification failed with an internal error', () => {
    expect(marksOf('INTERNAL', { hasPayload: true })).toEqual([
      ...STEPS.slice(1).map(() => 'not reached'),
      'not asked',
    ])
  })

  it('names the altered fields in the reason for a failed check', () => {
    expect(reasonOf('SIGNATURE_INVALID', ['host', 'kind', 'kind'])).toContain('host and kind have changed')
    expect(reasonOf('SIGNATURE_INVALID', ['payload', 'tag'])).toContain('tag has changed')
    expect(reasonOf('SIGNATURE_INVALID', ['signature'])).toContain('not the signature that the signer made')
  })
})
