import * as v from 'valibot'

/**
 * A member that may be missing, or null, which is the same: so Go marshals a slice that is nil, and so YAML reads a member behind
 * which nothing stands.
 */
export function maybe<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.nullish(schema, () => undefined)
}
