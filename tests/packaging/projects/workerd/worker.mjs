import { generateKey, memory, mqtt, openSdk, source, verifyMessage } from 'alvarium-sdk'

/** Seals and publishes, with an SDK for each request, and verifies; `?broker` says where, if anywhere, `?algorithm` with which key. */
async function roundTrip(broker, algorithm) {
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
    const { searchParams } = new URL(request.url)
    const [broker, algorithm = 'Ed25519'] = [
      searchParams.get('broker'),
      searchParams.get('algorithm') ?? undefined,
    ]
    return new Response(await roundTrip(broker, algorithm).catch(({ code, message }) => `${code} ${message}`))
  },
}
