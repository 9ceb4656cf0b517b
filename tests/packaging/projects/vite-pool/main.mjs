import { generateKey, memory, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'

const output = document.querySelector('output')

async function roundTrips() {
  const { signingKey, verifyingKey } = generateKey()
  const workers = await pool({ workers: 2 })
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), pool: workers })
  const payloads = Array.from({ length: 100 }, (_, at) => new Uint8Array(1000).fill(at))
  const receipts = await Promise.all(payloads.map((payload) => sdk.create(payload)))
  const handedOver = new Uint8Array(1000)
  await sdk.create(handedOver, { transfer: true })
  const keyring = [verifyingKey]
  const verified = await Promise.all(
    receipts.map(({ message }, at) =>
      verifyMessage(message, { keyring, payload: payloads[at], pool: workers }),
    ),
  )
  await sdk.close()
  await workers.close()
  return JSON.stringify([verified.length, handedOver.length])
}

output.textContent = await roundTrips().catch((error) => `${error.code} ${error.message}`)
