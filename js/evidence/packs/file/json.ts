import type * as v from 'valibot'
import { AlvariumError, malformed, textOf } from '../../../foundation/base/errors.js'
import { readOptions } from '../../../foundation/base/options/schema.js'
import { excessSteps, quotedNameAt, secondNameSteps } from '../../../foundation/base/text/scan.js'
import { exactText } from '../../../foundation/base/text/text.js'
import { runYielding, verifyTurns } from '../../../foundation/base/time/turns.js'

/**
 * Parses JSON. Refuses repeated member names, because some parsers use the first value and others the last.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export async function jsonIn(name: string, bytes: Uint8Array): Promise<unknown> {
  const text = readable(name, () => exactText(bytes))
  const excess = await runYielding(excessSteps(text))
  if (excess !== undefined) throw malformed(name, `JSON with ${excess}`, 'more')
  await verifyTurns.yieldIfDueLong()
  const value = readable<unknown>(name, () => JSON.parse(text))
  await verifyTurns.yieldIfDueLong()
  const second = await runYielding(secondNameSteps(text))
  if (second === undefined) return value
  throw malformed(name, 'each name once', `${quotedNameAt(text, second)} twice`)
}

function readable<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw malformed(name, 'JSON in UTF-8', textOf(error), error)
  }
}

/** Validates a value with a schema and returns the result. @throws AlvariumError `MESSAGE_MALFORMED` */
export function checkSchema<T extends v.GenericSchema>(
  schema: T,
  value: unknown,
  name: string,
): v.InferOutput<T> {
  try {
    return readOptions(schema, value, name)
  } catch (error) {
    if (!(error instanceof AlvariumError)) throw error
    throw new AlvariumError('MESSAGE_MALFORMED', error.message, { cause: error })
  }
}
