// dist/schema.json, for editors and for whoever checks configs elsewhere: the schema by which `alvarium-sdk/config` reads
// them, as JSON Schema 2020-12.

import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toJsonSchema } from '@valibot/to-json-schema'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const { configSchema } = await import(join(root, 'dist/config-file/schema.js'))

const { $schema, $defs, ...config } = toJsonSchema(configSchema({}, {}, false), {
  target: 'draft-2020-12',
  typeMode: 'input',
  // What a function checks has no words there: that two members are not given both.
  errorMode: 'ignore',
})
const wrapped = { type: 'object', properties: { sdk: { $ref: '#/$defs/config' } }, required: ['sdk'] }
const schema = {
  $schema,
  title: 'Config of an Alvarium SDK',
  anyOf: [{ $ref: '#/$defs/config' }, wrapped],
  $defs: { ...$defs, config },
}
writeFileSync(join(root, 'dist/schema.json'), `${JSON.stringify(schema, null, 2)}\n`)
