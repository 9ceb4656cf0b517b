import * as v from 'valibot'
import { fromBase64 } from '../../foundation/base/bytes/base64.js'
import { isBytes } from '../../foundation/base/errors.js'
import { digits, wholeNumber } from '../../foundation/base/options/schema.js'
import { HASH_BYTES } from '../../foundation/core/tree.js'

/** SHA-256 digest: 64 lower-case hexadecimal digits. */
export const hash = digits(2 * HASH_BYTES)

export const bytes = v.custom<Uint8Array>(isBytes, 'a Uint8Array')

export const count = wholeNumber(0, 'a whole number from 0 to 9007199254740991')

/** Maximum length of a base64 path in characters. A tree of 2^53 leaves needs at most 106 hashes of 32 bytes. */
const MAX_PATH_CHARACTERS = 4524
const PATH = `at most ${MAX_PATH_CHARACTERS} characters of base64, of hashes of ${HASH_BYTES} bytes`
/** Concatenated hashes in base64. */
export const path = v.pipe(
  v.string(PATH),
  v.maxLength(MAX_PATH_CHARACTERS, PATH),
  v.check((given) => (fromBase64(given)?.length ?? 1) % HASH_BYTES === 0, PATH),
)
