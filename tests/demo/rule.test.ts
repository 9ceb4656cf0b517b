import { describe, expect, it } from 'vitest'
import { fieldOf, type Operator, satisfies } from '../../examples/demo/rule.js'
import { utf8 } from '../support/bytes.js'

const payload = utf8('{"celsius":21.5,"place":{"name":"hall 2"},"samples":[3,4],"note":"10"}')

describe('a rule of the demo page', () => {
  it.each<[string, Operator, string, boolean]>([
    ['celsius', '<', '30', true],
    ['celsius', '<', '21.5', false],
    ['celsius', '≤', '21.5', true],
    ['celsius', '=', '21.50', true],
    ['celsius', '≠', '21.5', false],
    ['celsius', '≥', '22', false],
    ['celsius', '>', '9', true],
    ['place.name', '=', 'hall 2', true],
    ['place.name', 'contains', 'all', true],
    ['place.name', 'contains', 'cellar', false],
    ['samples.1', '=', '4', true],
    ['note', '>', '9', false],
    ['celsius', 'exists', '', true],
    ['kelvin', 'exists', '', false],
    ['kelvin', '≠', '3', false],
  ])('compares the field %s by the operator %s with %j: %s', (path, operator, value, expected) => {
    expect(satisfies(payload, { kind: 'k', path, operator, value })).toBe(expected)
  })

  it('finds no field in a text that is not JSON, and no inherited field', () => {
    expect(fieldOf(utf8('not JSON'), 'celsius')).toBeUndefined()
    expect(fieldOf(payload, 'constructor')).toBeUndefined()
  })
})
