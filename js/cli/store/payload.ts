import { existsSync } from 'node:fs'
import type { PayloadName } from 'alvarium-sdk/score'
import { keyIfAny } from '../../foundation/core/hashing.js'
import type { HashName } from '../../foundation/model/bundle.js'
import { invalid } from '../fault.js'
import { Unreadable } from '../input/files.js'
import { allOf, fileSource } from '../input/source.js'
import type { Session } from '../session.js'

export interface PayloadOptions {
  readonly payloadKey?: boolean
  readonly hash: HashName
}

/** Returns whether a text has the form of a payload key; false with hash `none`, where keys have no fixed form. */
function isKey(text: string, hash: HashName): boolean {
  const digits = { sha256: 64, md5: 32, none: 0 }[hash]
  return text.length === digits && /^[\da-f]+$/i.test(text)
}

/** Returns the payload that an argument names: a file, standard input, or a payload key. */
export async function payloadIn(
  argument: string,
  { payloadKey = false, hash }: PayloadOptions,
  { input }: Session,
): Promise<PayloadName> {
  if (payloadKey) return { key: argument, hash }
  if (argument === '-' && input.isTTY)
    throw invalid('<payload>', 'a file, or something piped in', 'a terminal')
  if (argument !== '-' && !existsSync(argument) && isKey(argument, hash))
    return { key: argument.toUpperCase(), hash }
  const source =
    argument === '-' ? { name: 'stdin', bytes: () => input } : fileSource(argument, input.interrupted)
  const bytes = await allOf(source).catch((error) => {
    if (!(error instanceof Unreadable)) throw error
    throw invalid('<payload>', 'a file, or a whole payload key', error.got)
  })
  const key = keyIfAny(bytes, hash)
  if (key !== undefined) return { key, hash }
  throw invalid('<payload>', `a payload for the hash ${hash}`, 'a payload that is too long or not UTF-8')
}
