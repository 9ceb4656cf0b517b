import { describe } from '../../../foundation/base/errors.js'
import { invalidText, readJsonOrYaml } from '../../../foundation/base/options/json-or-yaml.js'

const CONFIG = { name: 'config', maxLength: 65_536 }

/**
 * Parses a config in JSON or YAML. Returns an object unchanged.
 *
 * @throws AlvariumError `CONFIG_INVALID`. The error does not quote the text, which may contain a password
 */
export async function parseConfig(config: unknown): Promise<unknown> {
  return typeof config === 'string' ? readJsonOrYaml(config, CONFIG) : config
}

/** Returns the config, which may be nested under `sdk`, and the path of its fields in errors. */
export function unwrap(value: unknown): { readonly config: object; readonly root: string } {
  if (typeof value !== 'object' || value === null) {
    const got = typeof value === 'string' ? 'a string (a path? use readConfig)' : describe(value)
    throw invalidText(CONFIG.name, 'an object, or its JSON or YAML', got)
  }
  if (!('sdk' in value)) return { config: value, root: '' }
  return { config: value.sdk as object, root: 'sdk' }
}
