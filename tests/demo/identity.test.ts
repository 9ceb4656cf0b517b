import { describe, expect, it } from 'vitest'
import { fieldsOf } from '../../examples/demo/identity.js'
import { concat, fromHex } from '../support/bytes.js'
import { golden } from '../support/vectors.js'

describe('the fields into which the demo page splits identity bytes', () => {
  it.each(golden().cases)('cover all of the bytes: $name', ({ identity }) => {
    const bytes = fromHex(identity)
    expect(concat(...fieldsOf(bytes).map((field) => field.bytes))).toEqual(bytes)
  })

  it.each(golden().cases)('have the values of the bundle: $name', ({ identity, bundle }) => {
    const texts = Object.fromEntries(fieldsOf(fromHex(identity)).map(({ name, text }) => [name, text]))
    const { action, key, hash, host, layer, timestamp, signer, previousKey, annotations } = bundle
    expect(texts).toMatchObject({ action, key, hash, host, layer, timestamp, signer })
    expect(texts['previous payload key']).toBe(previousKey)
    expect(texts['annotations']).toBe(String(annotations.length))
    for (const [n, { id, kind, tag, isSatisfied }] of annotations.entries()) {
      expect([texts[`id ${n + 1}`], texts[`kind ${n + 1}`], texts[`tag ${n + 1}`]]).toEqual([id, kind, tag])
      expect(texts[`satisfied ${n + 1}`]).toBe(String(isSatisfied))
    }
  })
})
