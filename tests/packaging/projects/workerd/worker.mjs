import { generateKey, memory, mqtt, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'

/**
 * Seals and publishes, with an SDK for each request, and verifies. `?broker` is the address to publish to, if any;
 * `?algorithm` is that of the key; `?pool` asks for workers.
 */
async function roundTrip({ broker, algorithm = 'Ed25519', pool: isPooled }) {
  if (isPooled) await pool({ workers: 1 })
  const { signingKey, verifyingKey } = await generateKey({ algorithm })
  const stream = broker ? mqtt({ url: broker, topic: 'alvarium' }) : memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  try {
    const payload = new Uint8Array(500)
    const { message } = await sdk.create(payload)
    const { annotations } = await verifyMessage(message, { keyring: [verifyingKey], payload })
    return annotations.map(({ kind }) => kind).join()
  } finally {
    await sdk.close()
  }
}

export default {
  async fetch(request) {
    const asked = Object.fromEntries(new URL(request.url).searchParams)
    return new Response(await roundTrip(asked).catch(({ code, message }) => `${code} ${message}`))
  },
}
