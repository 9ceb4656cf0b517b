/** Fourteen hours ahead of UTC; three and a half behind, with daylight saving; and five and a half ahead. */
export const ZONES = ['Pacific/Kiritimati', 'America/St_Johns', 'Asia/Kolkata']

/** Another small letter of `I`; other digits; and none at all. */
export const LANGUAGES = ['tr_TR.UTF-8', 'ar_EG', 'C']
