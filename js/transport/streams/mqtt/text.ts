import * as v from 'valibot'
import { isWellFormed, utf8Length } from '../../../foundation/base/text/text.js'

const MAX_TEXT_BYTES = 65_535
const TEXT_LIMITS = `of at most ${MAX_TEXT_BYTES} bytes, without U+0000 and lone surrogates`

/** Returns whether MQTT can carry a value as a UTF-8 string (MQTT 5, 1.5.4; 3.1.1, 1.5.3). */
export function isText(text: unknown): boolean {
  return (
    typeof text === 'string' &&
    isWellFormed(text) &&
    !text.includes('\0') &&
    utf8Length(text) <= MAX_TEXT_BYTES
  )
}

/** Returns a Valibot schema of MQTT strings. @param noun - noun for error texts, with its article */
export const mqttText = (noun = 'a string') =>
  v.pipe(
    v.string(noun),
    v.check((text: string) => isText(text), `${noun} ${TEXT_LIMITS}`),
  )

/** Valibot schema of a password, which MQTT sends as binary data: at most 65,535 bytes of UTF-8 (MQTT 5, 1.5.6). */
export const mqttBytes = v.pipe(
  v.string('a string'),
  v.check((text) => utf8Length(text) <= MAX_TEXT_BYTES, `a string of at most ${MAX_TEXT_BYTES} bytes`),
)
