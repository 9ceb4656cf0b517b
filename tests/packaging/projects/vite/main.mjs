import { generateKey, mqtt, openSdk, source, subscribe, tls } from 'alvarium-sdk'

const url = new URLSearchParams(location.search).get('broker')
const output = document.querySelector('output')

async function roundTrip() {
  const { signingKey, verifyingKey } = generateKey()
  const bundles = subscribe({ url, topic: 'packed', durable: false, keyring: [verifyingKey] })
  await bundles.open()
  const sdk = await openSdk({
    signingKey,
    annotators: [source(), tls()],
    stream: mqtt({ url, topic: 'packed' }),
  })
  await sdk.create(new TextEncoder().encode('hello'))
  for await (const { host, annotations } of bundles) {
    await sdk.close()
    return JSON.stringify([host, ...annotations.map(({ kind, isSatisfied }) => [kind, isSatisfied])])
  }
}

output.textContent = await roundTrip().catch((error) => `${error.code} ${error.message}`)
