// @internal: check() does not show the fields of a record, nor in how many steps it sorts

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldsOf, fieldText } from '../../dist/evidence/records/csv.js'
import { orderOf } from '../../dist/evidence/records/found-records.js'
import { runSync } from '../../dist/foundation/base/time/turns.js'
import { runs } from '../support/runs.js'

const encoder = new TextEncoder()

describe('the fields of a CSV record', () => {
  it('are read without the quotation marks that enclose a field with a separator, quotation mark or line break', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab;,"\n é'), maxLength: 6 })
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(',', ';'),
        (fields, separator) => {
          const isPlain = (field: string) => !/[",;\n]/.test(field)
          const written = fields.map((field) => (isPlain(field) ? field : `"${field.replaceAll('"', '""')}"`))
          const record = encoder.encode(written.join(separator))
          expect([...fieldsOf(record, separator)].map(fieldText)).toEqual(fields)
        },
      ),
      runs(300),
    )
  })
})

describe('the values of a column that orders records', () => {
  it('are sorted with numbers before texts, and equal values keep their order', () => {
    const values = ['b', '10', '', '9', 'a', '-1.5', '9', '', 'é']
    expect(Array.from(runSync(orderOf(values)), (at) => `${values[at]}:${at}`)).toEqual([
      '-1.5:5',
      '9:3',
      '9:6',
      '10:1',
      ':2',
      ':7',
      'a:4',
      'b:0',
      'é:8',
    ])
  })

  it('are compared by all of their digits, even if they have 19 digits', () => {
    const values = [
      '1234567890123456002',
      '1234567890123456001',
      '-1234567890123456001',
      '1e18',
      '-1234567890123456002',
    ]
    expect([...runSync(orderOf(values))]).toEqual([4, 2, 3, 1, 0])
  })

  it('are sorted in many short steps', () => {
    const values = Array.from({ length: 20_000 }, (_, at) => `${'9'.repeat(200)}${(at * 7919) % 20_000}`)
    expect([...orderOf(values)].length).toBeGreaterThan(20)
  })
})
