import * as v from 'valibot'
import { withCore } from '../core/core.js'

/**
 * Returns a time in UTC that exists, with so many digits of fraction: so that times compare as texts.
 *
 * @param example - one of them
 */
export function timeLike(example: string) {
  const expected = `a time such as ${example}`
  const form = new RegExp(`^${example.replace('.', '\\.').replace(/\d/g, '\\d')}$`)
  return v.pipe(
    v.string(expected),
    v.regex(form, expected),
    v.check((text) => withCore((core) => core.isTimestamp(text)), expected),
  )
}
