import { generateKey, mqtt, openSdk, source, subscribe, tls } from 'alvarium-sdk'
import { showBundle, showRejection } from './list.js'

const TOPIC = 'alvarium'
const DEFAULT_BROKER = 'ws://localhost:9001'

const url = new URLSearchParams(location.search).get('broker') ?? DEFAULT_BROKER
const { signingKey, verifyingKey, keyId } = generateKey()

/** Custom annotator: is the payload not empty? @type {import('alvarium-sdk').Annotator<'not-empty'>} */
const notEmpty = { kind: 'not-empty', needs: 'payload', isSatisfied: ({ payload }) => payload.length > 0 }

/** @type {import('alvarium-sdk').MqttStream} */
let stream

/** Last message, as published. @type {Uint8Array | undefined} */
let lastMessage

/** @template {HTMLElement} E @param {string} id @returns {E} */
const byId = (id) => /** @type {E} */ (document.getElementById(id))

byId('signer').textContent = keyId
byId('broker').textContent = url
start().catch((error) => {
  showConnection('not connected')
  showProblem(error)
})

async function start() {
  stream = mqtt({ url, topic: TOPIC })
  stream.addEventListener('online', () => showConnection('connected'))
  stream.addEventListener('offline', () => showConnection('connection lost, trying again'))
  const sdk = await openSdk({ signingKey, annotators: [source(), tls(), notEmpty], stream })
  const bundles = subscribe({ url, topic: TOPIC, durable: false, keyring: [verifyingKey] })
  bundles.addEventListener('rejected', ({ error }) => showRejection(byId('bundles'), error))
  await bundles.open()

  byId('form').addEventListener('submit', (event) => {
    event.preventDefault()
    create(sdk).catch(showProblem)
  })
  byId('tamper').addEventListener('click', () => tamper().catch(showProblem))
  byId('create').disabled = false
  for await (const bundle of bundles) showBundle(byId('bundles'), bundle)
}

/** @param {import('alvarium-sdk').Sdk} sdk */
async function create(sdk) {
  byId('problem').textContent = ''
  const { message } = await sdk.create(await payload())
  lastMessage = message
  byId('tamper').disabled = false
}

/** Returns the bytes of the selected file or, without a file, of the text. */
async function payload() {
  const [file] = byId('file').files
  return file ? new Uint8Array(await file.arrayBuffer()) : new TextEncoder().encode(byId('text').value)
}

/**
 * Publishes the last message again with the answer of its first annotation inverted, as an attacker at the
 * broker could.
 */
async function tamper() {
  const text = new TextDecoder().decode(lastMessage)
  const altered = text.replace(/(?<="isSatisfied":)(true|false)/, (answer) => String(answer === 'false'))
  await stream.publish(new TextEncoder().encode(altered))
}

/** @param {string} state */
function showConnection(state) {
  byId('connection').textContent = state
}

/** @param {Error & { code?: string }} error */
function showProblem(error) {
  byId('problem').textContent = error.code ? `${error.code}: ${error.message}` : error.message
}
