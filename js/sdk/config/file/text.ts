import { describe } from '../../../foundation/base/errors.js'
import { invalidText, readJsonOrYaml } from '../../../foundation/base/options/json-or-yaml.js'

/** Limit of a config's text, which usually has a few hundred characters. */
const CONFIG = { name: 'config', maxLength: 65_536 }

/**
 * Parses a text of JSON or YAML; returns an object unchanged.
 *
 * @throws AlvariumError `CONFIG_INVALID`. The error does not quote the text, which may contain a password
 */
export async function parseConfig(config: unknown): Promise<unknown> {
  return typeof config === 'string' ? readJsonOrYaml(config, CONFIG) : config
}

/** Returns the config, which an application's file may have under `sdk`, and the prefix of its members in errors. */
export function unwrap(value: unknown): { readonly config: object; readonly root: string } {
  if (typeof value !== 'object' || value === null) {
    const got = typeof value === 'string' ? 'a string (a path? use readConfig)' : describe(value)
    throw invalidText(CONFIG.name, 'an object, or its JSON or YAML', got)
  }
  if (!('sdk' in value)) return { config: value, root: '' }
  return { config: value.sdk as object, root: 'sdk' }
}
