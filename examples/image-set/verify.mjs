// Verifies a proof offline, with the image, the proof, the published message and the sealer's public key:
//
//   node examples/image-set/verify.mjs set.json proof.json mine.bmp public.key
//
// Exit code 0: the image was in the set. 3: it was not. 1: the proof shows neither.

import { readFile } from 'node:fs/promises'
import { keyOf, readKey } from 'alvarium-sdk'
import { verifyAbsent, verifyMember, verifySet } from 'alvarium-sdk/sets'
import { openAsSource } from 'alvarium-sdk/sources/node'
import { given } from '../shared/program.mjs'
import { green, red } from '../shared/terminal.mjs'

const [setFile, proofFile, image, keyFile] = given('verify.mjs set.json proof.json mine.bmp public.key')
const EXIT = { yes: 0, no: 3 }

try {
  const set = await verifySet(await readFile(setFile), { keyring: [await readKey(keyFile)] })
  const proof = await readFile(proofFile)
  const key = await keyOf(await openAsSource(image))
  const answer = answerOf(set, proof, key)
  console.log(
    green(`✓ ${answer === 'yes' ? 'it was' : 'it was not'} in ${set.name}, sealed ${set.timestamp}`),
  )
  if (answer === 'no')
    console.log('  if the signer has sorted its list: who has the whole list can check that')
  process.exitCode = EXIT[answer]
} catch (error) {
  console.error(red(`✗ ${error.message}`))
  process.exitCode = 1
}

/**
 * Returns `'yes'` if the proof shows that the image is in the set, and `'no'` if it shows that the image is
 * not in the set. Throws if the proof shows neither, for example a genuine proof about another image or set.
 *
 * @param {any} set
 * @param {Uint8Array} proof
 * @param {string} key payload key of the image
 */
function answerOf(set, proof, key) {
  const { says } = JSON.parse(new TextDecoder().decode(proof)).content
  if (says === 'member') {
    verifyMember(set, proof, key)
    return 'yes'
  }
  verifyAbsent(set, proof, key)
  return 'no'
}
