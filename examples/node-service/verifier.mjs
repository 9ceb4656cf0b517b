// Verifies the service's messages in another process, possibly on another machine, and prints a line for
// each:
//
//   BROKER_URL=ws://127.0.0.1:9001 PUBLIC_KEY_FILES=public.key node examples/node-service/verifier.mjs

import { Keyring, readKey, subscribe } from 'alvarium-sdk'
import { answer, green, red, short } from '../shared/terminal.mjs'
import { verifierConfig } from './config.mjs'

try {
  await verify(verifierConfig())
} catch (error) {
  console.error(`verifier: ${error.message}`)
  process.exitCode = 1
}

/** @param {ReturnType<typeof verifierConfig>} config */
async function verify({ broker, clientId, publicKeyFiles }) {
  const keyring = new Keyring(await Promise.all(publicKeyFiles.map((path) => readKey(path))))
  const bundles = subscribe({ ...broker, clientId, keyring })
  bundles.addEventListener('rejected', ({ error }) =>
    console.log(`${red('✗ rejected')}  ${error.code}: ${error.message}`),
  )

  await bundles.open()
  for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => bundles.close())
  console.log(`listening on ${broker.url}, trusting ${keyring.keyIds.map(short).join(', ')}`)
  for await (const bundle of bundles) console.log(line(bundle))
}

/** @param {import('alvarium-sdk').VerifiedBundle} bundle */
function line({ action, key, host, annotations, signer }) {
  const answers = annotations.map(answer).join('  ')
  return `${green('✓ verified')}  ${action.padEnd(7)}  ${short(key)}  ${host}  ${answers}  signed ${short(signer)}`
}
