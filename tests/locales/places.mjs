/**
 * Time zones: fourteen hours ahead of UTC; three and a half behind, with daylight saving; and five and a half ahead.
 */
export const ZONES = ['Pacific/Kiritimati', 'America/St_Johns', 'Asia/Kolkata']

/** Languages: with another small letter of `I`; with other digits; and with no rules. */
export const LANGUAGES = ['tr_TR.UTF-8', 'ar_EG', 'C']
