// @internal: no stream shows in which form a message is stored
import { describe, expect, it } from 'vitest'
import {
  hasMagic,
  MAGIC,
  optionBytes,
  readRecord,
  recordLength,
  writeRecord,
} from '../../dist/transport/streams/outbox/record.js'
import { concat, utf8 } from '../support/bytes.js'

const kept = { options: optionBytes({ contentType: 'a/b' }), storedAt: 5, end: 9 }
const options = kept.options
const byItself = (bytes: Uint8Array) => new Uint8Array(bytes)

describe('a message that contains the first bytes of an outbox record', () => {
  const record = writeRecord({ number: 7, message: utf8('inner'), ...kept })
  // For each mask of one repeated byte, the message has bytes that would begin a record after masking.
  const underEach = Array.from({ length: 256 }, (_, mask) => MAGIC.map((byte) => byte ^ mask))

  it.each([
    ['at its beginning', record],
    ['at its end', concat(utf8('before'), MAGIC)],
    ...[0, 1, 2, 3, 4].map(
      (at) => [`${at} bytes after its beginning`, concat(utf8('....'.slice(0, at)), record)] as const,
    ),
    ['many times', concat(...underEach, ...underEach, record, record)],
  ] as const)('%s is stored so that no record begins inside it, and is read back unchanged', (_, message) => {
    const outer = writeRecord({ number: 3, message, ...kept })
    expect(hasMagic(outer.subarray(1))).toBe(false)
    expect(outer.length).toBe(recordLength(options, message))
    expect(readRecord(3, outer)).toMatchObject({
      message: byItself(message),
      options: { contentType: 'a/b' },
    })
    expect(readRecord(3, outer).message).toEqual(byItself(message))
  })

  it('cannot be read if its record is altered or truncated', () => {
    const outer = writeRecord({ number: 3, message: record, ...kept })
    for (let at = 0; at < outer.length; at++) {
      const bytes = outer.slice()
      bytes[at] = (bytes[at] ?? 0) ^ 1
      expect(() => readRecord(3, bytes)).toThrow('expected record 3')
      expect(() => readRecord(3, outer.slice(0, at))).toThrow('expected record 3')
    }
  })
})

it('a message that does not contain the first bytes of an outbox record is stored with its bytes unchanged', () => {
  const message = utf8('{"plain":true}')
  const record = writeRecord({ number: 3, message, ...kept })
  expect(record.subarray(-message.length)).toEqual(message)
})
