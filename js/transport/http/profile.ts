import { conflicts, expected, quoteOr } from '../../foundation/base/errors.js'

/** Name of the profile Web Bot Auth, which is also the `tag` of its request signatures. */
export const TAG = 'web-bot-auth'

/**
 * Returns whether options select the profile Web Bot Auth.
 *
 * @throws AlvariumError `CONFIG_INVALID` for another profile, or if both `format` and `profile` are given
 */
export function isWebBotAuth(options: unknown, root: string): boolean {
  const { profile, format } = Object(options)
  if (profile === undefined) return false
  if (profile !== TAG) throw expected('CONFIG_INVALID', `${root}.profile`, TAG, quoteOr(profile))
  if (format === undefined) return true
  throw conflicts(`${root}.format`, 'profile, which has the format rfc9421')
}
