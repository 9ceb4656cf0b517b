import { describe } from '../../base/errors.js'
import { invalidText, written as writtenText } from '../../base/options/written.js'

/** Configs have a few hundred characters. */
const CONFIG = { what: 'config', longest: 65_536 }

/**
 * What a text of JSON or YAML says, or an object as it is.
 *
 * @throws AlvariumError `CONFIG_INVALID`; what is in the text is not in the error, as it may be a password
 */
export async function written(config: unknown): Promise<unknown> {
  return typeof config === 'string' ? writtenText(config, CONFIG) : config
}

/** What stands under `sdk`, where an application's own file has the SDK's there; and how its members are called in errors. */
export function unwrapped(value: unknown): { readonly config: object; readonly root: string } {
  if (typeof value !== 'object' || value === null) {
    const got = typeof value === 'string' ? 'a string (a path? use readConfig)' : describe(value)
    throw invalidText(CONFIG.what, 'an object, or JSON or YAML of one', got)
  }
  if (!('sdk' in value)) return { config: value, root: '' }
  return { config: value.sdk as object, root: 'sdk' }
}
