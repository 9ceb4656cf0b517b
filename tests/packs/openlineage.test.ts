import { toOpenLineage } from 'alvarium-sdk/packs'
import { expect, it } from 'vitest'

const producer = 'https://example.com/pipeline'
const [one, two] = [
  { id: '1'.repeat(64), signer: 'a'.repeat(32) },
  { id: '2'.repeat(64), signer: 'a'.repeat(32) },
]

it('toOpenLineage lists each signer and each bundle once', () => {
  const pack = { uri: 'file:///evidence.zip', id: '3'.repeat(64) }
  expect(toOpenLineage([one, two, one], { producer, pack })).toEqual({
    alvarium_evidence: {
      _producer: producer,
      _schemaURL: 'https://example.invalid/alvarium-sdk/openlineage/1-0-0/AlvariumEvidenceRunFacet.json',
      signers: [one.signer],
      bundles: [one.id, two.id],
      pack,
    },
  })
  expect(toOpenLineage([one], { producer }).alvarium_evidence).not.toHaveProperty('pack')
})

it('toOpenLineage refuses a producer that is not a URI, an invalid pack, and objects that are not bundles', () => {
  const refused = (options: object) => () => toOpenLineage([one], options as never)
  expect(refused({ producer: 'pipeline' })).toThrow('toOpenLineage.producer: expected a URI')
  expect(refused({ producer, pack: { uri: 'file:///e.zip', id: 'ABC' } })).toThrow('toOpenLineage.pack.id')
  expect(refused({ producer, packs: 1 })).toThrow('toOpenLineage.packs')
  expect(() => toOpenLineage([{ id: one.id } as never], { producer })).toThrow(TypeError)
})
