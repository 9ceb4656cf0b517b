import { openSdk, type SdkOptions, source } from 'alvarium-sdk'
import { utf8 } from './bytes.js'
import { digest } from './digest.js'
import { key } from './sdk.js'

export const payloads = (count: number) => Array.from({ length: count }, (_, at) => utf8(`payload ${at}`))
export const keyOfPayload = (payload: Uint8Array) => digest('sha256', payload)
/** Limits under which only a size limit, or closing, ends a batch: the delay is an hour. */
export const patient = { maxDelayMs: 3_600_000 }

export async function openWith(options: Partial<SdkOptions>) {
  return openSdk({ signingKey: key.signingKey, annotators: [source()], stream: { publish() {} }, ...options })
}
