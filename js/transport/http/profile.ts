import { describe, expected } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'

/** Name of the profile Web Bot Auth, and tag of its signatures over requests. */
export const TAG = 'web-bot-auth'

/**
 * Returns whether options are for this profile.
 *
 * @throws AlvariumError `CONFIG_INVALID` for another profile, and for a format with it
 */
export function isWebBotAuth(options: unknown, root: string): boolean {
  const { profile, format } = Object(options)
  if (profile === undefined) return false
  if (profile !== TAG) {
    const got = typeof profile === 'string' ? quote(profile) : describe(profile)
    throw expected('CONFIG_INVALID', `${root}.profile`, 'web-bot-auth', got)
  }
  if (format === undefined) return true
  const what = 'no format together with profile, whose format is rfc9421'
  throw expected('CONFIG_INVALID', `${root}.format`, what, describe(format))
}
