import { generateKey, memory, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'

/** Seals and verifies in a pool. Returns the outcome in words. */
export async function roundTrip(options) {
  try {
    const { signingKey, verifyingKey } = generateKey()
    const workers = await pool({ workers: 2, ...options })
    const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), pool: workers })
    const payload = new Uint8Array(5000)
    const { message } = await sdk.create(payload)
    const { annotations } = await verifyMessage(message, {
      keyring: [verifyingKey],
      payload,
      pool: workers,
    })
    await sdk.close()
    await workers.close()
    return annotations.map(({ kind }) => kind).join()
  } catch (error) {
    return `${error.code} ${error.message}`
  }
}
