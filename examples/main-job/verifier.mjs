// Child process of main.mjs: verifies each message with the public key, and reports in lines of JSON.

import { subscribe } from 'alvarium-sdk'

const REPORT_EVERY_MS = 100

const { BROKER_URL = '', TOPIC = '', PUBLIC_KEY = '' } = process.env

const verified = { create: 0, transit: 0, mutate: 0, publish: 0 }
/** Numbers of no and yes answers per kind of annotation. @type {Record<string, [number, number]>} */
const answers = {}
let changed = false

const bundles = subscribe({ url: BROKER_URL, topic: TOPIC, clientId: 'verifier', keyring: [PUBLIC_KEY] })
bundles.addEventListener('rejected', ({ error: { code, message } }) => say({ rejected: { code, message } }))

process.once('SIGTERM', () => bundles.close())
// Ignore Ctrl-C, which reaches both processes: the verifier continues until the job has finished.
process.on('SIGINT', () => {})
process.stdin.on('end', () => bundles.close()).resume()

try {
  await bundles.open()
  say({ listening: true })
  const timer = setInterval(report, REPORT_EVERY_MS)
  for await (const bundle of bundles) note(bundle)
  clearInterval(timer)
} catch (error) {
  console.error(`verifier: ${error.message}`)
  process.exitCode = 1
}
process.stdin.destroy()

/** @param {import('alvarium-sdk').VerifiedBundle} bundle */
function note({ action, annotations }) {
  verified[action]++
  for (const { kind, isSatisfied } of annotations) {
    answers[kind] ??= [0, 0]
    answers[kind][isSatisfied ? 1 : 0]++
  }
  changed = true
}

function report() {
  if (changed) say({ verified, answers })
  changed = false
}

/** @param {object} what */
function say(what) {
  console.log(JSON.stringify(what))
}
