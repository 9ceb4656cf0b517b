// Writes dist/schema.json, dist/trust.schema.json and dist/score.schema.json: JSON Schemas (2020-12) of
// configs, trust policies and scoring policies, for editors and other validators.

import '#platform'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toJsonSchema } from '@valibot/to-json-schema'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const { configSchema } = await import(join(root, 'dist/sdk/config/file/schema.js'))

const { policySchema, signerSchema } = await import(join(root, 'dist/evidence/trust/policy/policy-schema.js'))
const { policySchema: scoreSchema } = await import(join(root, 'dist/verifying/score/policy.js'))

/** @type {import('@valibot/to-json-schema').ConversionConfig} */
const settings = {
  target: 'draft-2020-12',
  typeMode: 'input',
  // Ignore checks by functions, such as two members that exclude each other, because such checks cannot be
  // converted.
  errorMode: 'ignore',
}
const { $schema, $defs, ...config } = toJsonSchema(configSchema({}, {}, false), settings)
const wrapped = { type: 'object', properties: { sdk: { $ref: '#/$defs/config' } }, required: ['sdk'] }
const schema = {
  $schema,
  title: 'Config of an Alvarium SDK',
  anyOf: [{ $ref: '#/$defs/config' }, wrapped],
  $defs: { ...$defs, config },
}
write('schema.json', schema)

/** Returns the JSON Schema of a key in a trust policy: text, a key with its times, or a JSON Web Key. */
const keyOf = ({ getter }) => ({
  anyOf: [{ type: 'string' }, inline(getter({ key: '' })), { type: 'object', not: { required: ['key'] } }],
})
const inline = (one) => {
  const { $schema: _, ...rest } = toJsonSchema(one, settings)
  return rest
}
const { $schema: _, ...signer } = toJsonSchema(signerSchema({ add: () => '' }), {
  ...settings,
  overrideSchema: ({ valibotSchema }) => (valibotSchema.type === 'lazy' ? keyOf(valibotSchema) : undefined),
})
const policy = toJsonSchema(policySchema, settings)
policy.properties.signers.items = signer
write('trust.schema.json', { $schema, title: 'Trust policy of an Alvarium SDK', ...policy })
write('score.schema.json', {
  title: 'Scoring policy of an Alvarium SDK',
  ...toJsonSchema(scoreSchema, settings),
})

function write(name, schema) {
  writeFileSync(join(root, 'dist', name), `${JSON.stringify(schema, null, 2)}\n`)
}
