import { generateKey, memory, mqtt, openSdk, source, verifyMessage } from 'alvarium-sdk'

/** Seals and publishes, with an SDK for each request, and verifies; `?broker` says where, if anywhere. */
async function roundTrip(broker) {
  const { signingKey, verifyingKey } = generateKey()
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
    const broker = new URL(request.url).searchParams.get('broker')
    return new Response(await roundTrip(broker).catch(({ code, message }) => `${code} ${message}`))
  },
}
