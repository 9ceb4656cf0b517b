import * as v from 'valibot'
import { toHex } from '../../../foundation/base/bytes/hex.js'
import { randomFill } from '../../../foundation/base/bytes/random.js'
import { textOf } from '../../../foundation/base/errors.js'
import { platform } from '../../../foundation/platform/platform.js'
import { mqttText } from './text.js'

const HOSTNAME = '{hostname}'
const GENERATED_PREFIX = 'alvarium-'

const idText = v.pipe(mqttText(), v.nonEmpty('a string that is not empty'))

const idOption = v.pipe(
  v.union(
    [idText, v.custom<() => string>((one) => typeof one === 'function')],
    'a string that is not empty, or a function that returns one',
  ),
  v.rawTransform(({ dataset: { value }, addIssue, NEVER }): string => {
    try {
      const id = v.parse(idText, typeof value === 'function' ? value() : value)
      if (!id.includes(HOSTNAME)) return id
      const machine = platform.machineName?.()
      if (machine) return id.replaceAll(HOSTNAME, machine)
      addIssue({ message: `a name without ${HOSTNAME}, which is not known here: a function can make one` })
    } catch (error) {
      addIssue({ message: `a function that returns a string that is not empty (${textOf(error)})` })
    }
    return NEVER
  }),
)

export const clientId = v.optional(
  idOption,
  () => `${GENERATED_PREFIX}${toHex(randomFill(new Uint8Array(8)))}`,
)

/** Returns whether a client id has the form of a generated random id, which no other client has. */
export function isRandom(id: string): boolean {
  return id.startsWith(GENERATED_PREFIX) && /^[0-9a-f]{16}$/.test(id.slice(GENERATED_PREFIX.length))
}
