// A program that verifies the messages of a topic, to be killed by main.mjs. Its subscription is durable:
// unacknowledged messages are redelivered. It prints
//
//   got 4A44DC15… 5f1c…    a verified bundle: its payload's key, and its id
//   rejected CODE text     the error of a message that does not verify
//
// each of which is out before the message is acknowledged.

import { subscribe } from 'alvarium-sdk'
import { say } from '../support/say.mjs'

const { url, topic, key, clientId } = JSON.parse(process.argv[2] ?? '{}')

const bundles = subscribe({ url, topic, clientId, keyring: [key] })
bundles.addEventListener('rejected', ({ error }) => say('rejected', error.code, error.message))
process.once('SIGTERM', () => bundles.close())
await bundles.open()
say('open')
for await (const { key, id } of bundles) say('got', key, id)
