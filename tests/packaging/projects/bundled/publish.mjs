import { generateKey, mqtt, openSdk, source } from 'alvarium-sdk'

async function publish(url) {
  const { signingKey } = generateKey()
  const stream = mqtt({ url, topic: 'alvarium' })
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  await sdk.create(new Uint8Array(500))
  await sdk.close()
}

publish(process.argv[2]).then(
  () => console.log('published'),
  ({ code, message }) => console.log(code, message),
)
