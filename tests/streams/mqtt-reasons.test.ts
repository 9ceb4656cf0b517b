// @internal: a table of 256 codes; mqtt-each-reason.test.ts, which is slow, has a broker say each
import { describe, expect, it } from 'vitest'
import { reasonBy } from '../../dist/transport/streams/mqtt/reasons.js'
import { CONNACK, DISCONNECT, OF_MESSAGE, PUBACK, RETURN_CODES, SUBACK } from '../support/reasons.js'

describe('the table of reason codes', () => {
  it('has every code that the standard allows a broker to send', () => {
    const all = [...PUBACK, ...CONNACK, ...SUBACK, ...DISCONNECT, ...RETURN_CODES].filter(
      (code) => code !== 0x10,
    )
    expect(all.filter((code) => reasonBy(code).name === 'Unknown reason')).toEqual([])
  })

  it('marks only three codes as a final refusal of a message', () => {
    const all = Array.from({ length: 256 }, (_, code) => reasonBy(code))
    const named = all.filter(({ about }) => about === 'message')
    expect(named.map(({ code, lasts }) => [code, lasts])).toEqual(OF_MESSAGE.map((code) => [code, 'good']))
  })

  it('uses the names of MQTT 5 for the return codes 1 to 5 of MQTT 3.1.1', () => {
    expect(RETURN_CODES.map((code) => reasonBy(code))).toMatchObject([
      { code: 1, name: 'Unsupported Protocol Version' },
      { code: 2, name: 'Client Identifier not valid' },
      { code: 3, name: 'Server unavailable' },
      { code: 4, name: 'Bad User Name or Password' },
      { code: 5, name: 'Not authorized' },
    ])
  })

  it('treats an unknown code as temporary, and attributes it neither to a message nor to the client', () => {
    expect(reasonBy(0xfe)).toEqual({ code: 0xfe, name: 'Unknown reason', about: 'unsaid', lasts: 'now' })
  })
})
