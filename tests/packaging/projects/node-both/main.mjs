import { createRequire } from 'node:module'
import * as esm from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'

const copy = createRequire(import.meta.url)(process.argv[2])
const { signingKey, verifyingKey } = esm.generateKey()
const payload = new TextEncoder().encode('hello')

const errorOf = ({ verifyMessage }) => verifyMessage(payload, { keyring: [] }).catch((error) => error)
const kinds = ({ annotations }) => annotations.map(({ kind }) => kind)

/** Seals one call with a copy. @returns the message */
async function sealed({ openSdk, source, memory }, options = {}) {
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), ...options })
  const { message } = await sdk.create(payload)
  await sdk.close()
  return message
}

/** Verifies, with one copy, a message and a keyring of the other. */
const verified = (one, other) =>
  sealed(other).then((message) => one.verifyMessage(message, { keyring: new other.Keyring([verifyingKey]) }))

async function pooled() {
  const workers = await pool({ workers: 1 })
  const message = await sealed(copy, { pool: workers })
  const bundle = await copy.verifyMessage(message, { keyring: [verifyingKey], pool: workers })
  await workers.close()
  return kinds(bundle)
}

class Special extends esm.AlvariumError {}
const [ofEsm, ofCopy] = await Promise.all([errorOf(esm), errorOf(copy)])
const bundles = await Promise.all([verified(esm, copy), verified(copy, esm)])
const found = {
  isOneCopy: esm.openSdk === copy.openSdk,
  works: ofEsm.code === 'MESSAGE_MALFORMED' && ofCopy.code === 'MESSAGE_MALFORMED',
  knowsErrors: [ofCopy instanceof esm.AlvariumError, ofEsm instanceof copy.AlvariumError],
  takesOthersForErrors: [new Error('x') instanceof esm.AlvariumError, null instanceof copy.AlvariumError],
  knowsSubclass: [new Special('KEY_INVALID', 'x') instanceof Special, ofEsm instanceof Special],
  knowsKeyrings: [new copy.Keyring() instanceof esm.Keyring, new esm.Keyring() instanceof copy.Keyring],
  verified: bundles.map(kinds),
  pooled: await pooled(),
}
console.log(JSON.stringify(found))
