// @internal: errors of the package are shorter than the longest reason
// @node-only: no engine decides it

import { openDeadLetter } from 'alvarium-sdk'
import { expect, it } from 'vitest'
import { type RejectedMessage, writeDeadLetter } from '../../dist/verifying/consume/dead-letter.js'
import { utf8 } from '../support/bytes.js'

const message: RejectedMessage = {
  code: 'SIGNER_UNKNOWN',
  reason: 'signer: expected another',
  topic: 'readings/hall',
  receivedAt: Date.parse('2026-11-20T10:00:00.123Z'),
  message: utf8('hello'),
}

it.each<[string, Partial<RejectedMessage>, Partial<RejectedMessage>]>([
  ['only required fields', {}, {}],
  ['a signer', { signer: 'ab'.repeat(16) }, {}],
  ['a media type', { contentType: 'application/cbor' }, {}],
  ['an empty message', { message: new Uint8Array() }, {}],
  ['a reason of 1,000 characters', { reason: 'r'.repeat(1_000) }, {}],
  [
    'a reason of 1,001 characters, cut off after 1,000',
    { reason: 'r'.repeat(1_001) },
    { reason: 'r'.repeat(1_000) },
  ],
])('a dead letter is read with the content that was written: %s', (_, given, shortened) => {
  const all = { ...message, ...given }
  const expected = { ...all, ...shortened, size: all.message.length }
  expect(openDeadLetter(writeDeadLetter(all, true))).toEqual(expected)
  expect(openDeadLetter(writeDeadLetter(all, false))).toEqual({ ...expected, message: undefined })
})
