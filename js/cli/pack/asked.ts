import { readFile, stat } from 'node:fs/promises'
import { keyOf } from 'alvarium-sdk'
import type { PayloadName } from 'alvarium-sdk/score'
import { openAsSource } from 'alvarium-sdk/sources/node'
import { keyIfAny } from '../../foundation/core/hashing.js'
import type { HashName } from '../../foundation/model/bundle.js'
import { noteRecords } from '../input/payloads.js'
import { MAX_IN_MEMORY } from '../input/source.js'
import type { Session } from '../session.js'
import { variantsOf } from '../set/asked.js'
import { safeText } from '../terminal/safe-text.js'
import type { Evidence } from './evidence.js'

export interface AskOptions {
  readonly payload?: string
  readonly payloadKey?: string
  readonly hash: HashName
}

export interface AskedPayload extends PayloadName {
  /** The payload with its line end removed or added, because `annotate` signs records without their line ends. */
  readonly variants: readonly PayloadVariant[]
}

interface PayloadVariant extends PayloadName {
  readonly how: 'without its line end' | 'with a line end'
}

export function namesOf(payload: AskedPayload | undefined): readonly PayloadName[] {
  return payload ? [payload, ...payload.variants] : []
}

export async function askedFor({ payload, payloadKey, hash }: AskOptions): Promise<AskedPayload | undefined> {
  if (payloadKey !== undefined)
    return { hash, key: hash === 'none' ? payloadKey : payloadKey.toUpperCase(), variants: [] }
  if (payload === undefined) return undefined
  const key = await keyOf(await openAsSource(payload), hash)
  return { hash, key, variants: await variantsIn(payload, hash) }
}

async function variantsIn(path: string, hash: HashName): Promise<PayloadVariant[]> {
  const info = await stat(path)
  if (!info.isFile() || info.size > MAX_IN_MEMORY) return []
  return variantsOf({ bytes: await readFile(path) }).flatMap(({ how, bytes }) => {
    const key = keyIfAny(bytes, hash)
    return key === undefined ? [] : [{ how, hash, key }]
  })
}

/**
 * Returns the payload that the messages are about: the requested one, or its variant without its line end.
 * If there is no such message, prints the next step and returns undefined.
 */
export async function payloadIn(
  evidence: Evidence,
  requestedPayload: AskedPayload,
  { payload: path, payloadKey }: AskOptions,
  { err }: Pick<Session, 'err'>,
): Promise<PayloadName | undefined> {
  if (evidence.has(requestedPayload)) return requestedPayload
  const name = path ?? `the payload key ${payloadKey}`
  const variant = requestedPayload.variants.find((one) => evidence.has(one))
  if (variant?.how === 'without its line end') {
    await err.note(
      `the messages are about ${name} without its line end, as annotate takes records: so is the pack`,
    )
    return variant
  }
  const needs = variant
    ? `needs the payload as it was signed, with a line end, or --payload-key ${variant.key}`
    : 'needs the messages about it'
  const end = variant ? ' as it is' : ''
  await err.undecided(safeText`cannot tell: no message is about ${name}${end}, so no pack was made; ${needs}`)
  if (path !== undefined && !variant) await noteRecords(path, { err })
  return undefined
}
