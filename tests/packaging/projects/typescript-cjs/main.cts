import { AlvariumError, memory, openSdk, type Receipt, source } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { pool } from 'alvarium-sdk/pool'

import slim = require('alvarium-sdk/slim')

export async function annotate(signingKey: Uint8Array): Promise<Receipt> {
  const stream = outbox({ stream: memory(), store: 'outbox' })
  const workers = await pool({ workers: 1 })
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, pool: workers })
  return await sdk.create(new Uint8Array(1))
}

export const loads = (core: Uint8Array): void => slim.useCore(core)

// @ts-expect-error a code that there is not
export const wrong = new AlvariumError('NO_SUCH_CODE', 'text')
