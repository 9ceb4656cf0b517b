import * as v from 'valibot'
import { isWellFormed, utf8Length } from '../../base/text/text.js'

const MOST_BYTES = 65_535
const LIMITS = `of at most ${MOST_BYTES} bytes, without U+0000 and lone surrogates`

/** What MQTT can carry as a text (MQTT 5, 1.5.4; 3.1.1, 1.5.3). */
export function isText(text: unknown): boolean {
  return (
    typeof text === 'string' && isWellFormed(text) && !text.includes('\0') && utf8Length(text) <= MOST_BYTES
  )
}

/** @param what - what it is called in messages, with its article */
export const mqttText = (what = 'a string') =>
  v.pipe(
    v.string(what),
    v.check((text: string) => isText(text), `${what} ${LIMITS}`),
  )

/** Bytes may be anything (MQTT 5, 1.5.6). */
export const mqttBytes = v.pipe(
  v.string('a string'),
  v.check((text) => utf8Length(text) <= MOST_BYTES, `a string of at most ${MOST_BYTES} bytes`),
)
