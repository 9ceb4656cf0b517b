import * as v from 'valibot'
import { withCore } from '../../foundation/core/core.js'

/**
 * Returns the schema of an existing time in UTC with a fixed number of fraction digits, so that times compare as texts.
 *
 * @param example - a time of this form
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
