import { createRequire } from 'node:module'
import * as esm from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'

const required = createRequire(import.meta.url)(process.argv[2])
const { signingKey, verifyingKey } = esm.generateKey()
const payload = new TextEncoder().encode('hello')

/** What a copy throws of a message that is none. */
const errorOf = ({ verifyMessage }) => verifyMessage(payload, { keyring: [] }).catch((error) => error)
const kinds = ({ annotations }) => annotations.map(({ kind }) => kind)

/** @returns the message of one call, sealed by that copy */
async function sealed({ openSdk, source, memory }, options = {}) {
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), ...options })
  const { message } = await sdk.create(payload)
  await sdk.close()
  return message
}

/** Each copy verifies what the other has sealed, with a keyring of the other's. */
const verified = (one, other) =>
  sealed(other).then((message) => one.verifyMessage(message, { keyring: new other.Keyring([verifyingKey]) }))

async function pooled() {
  const workers = await pool({ workers: 1 })
  const message = await sealed(required, { pool: workers })
  const bundle = await required.verifyMessage(message, { keyring: [verifyingKey], pool: workers })
  await workers.close()
  return kinds(bundle)
}

class Special extends esm.AlvariumError {}
const [ofEsm, ofRequired] = await Promise.all([errorOf(esm), errorOf(required)])
const bundles = await Promise.all([verified(esm, required), verified(required, esm)])
const found = {
  isOneCopy: esm.openSdk === required.openSdk,
  works: ofEsm.code === 'MESSAGE_MALFORMED' && ofRequired.code === 'MESSAGE_MALFORMED',
  knowsErrors: [ofRequired instanceof esm.AlvariumError, ofEsm instanceof required.AlvariumError],
  takesOthersForErrors: [new Error('x') instanceof esm.AlvariumError, null instanceof required.AlvariumError],
  knowsSubclass: [new Special('KEY_INVALID', 'x') instanceof Special, ofEsm instanceof Special],
  knowsKeyrings: [
    new required.Keyring() instanceof esm.Keyring,
    new esm.Keyring() instanceof required.Keyring,
  ],
  verified: bundles.map(kinds),
  pooled: await pooled(),
}
console.log(JSON.stringify(found))
