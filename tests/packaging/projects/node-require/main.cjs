const { generateKey, memory, openSdk, source, verifyMessage } = require('alvarium-sdk')

async function main() {
  const { signingKey, verifyingKey } = generateKey()
  const payload = new TextEncoder().encode('hello')
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
  const { message } = await sdk.create(payload)
  const { annotations } = await verifyMessage(message, { keyring: [verifyingKey], payload })
  await sdk.close()
  console.log(JSON.stringify(annotations.map(({ kind, isSatisfied }) => [kind, isSatisfied])))
}

main()
