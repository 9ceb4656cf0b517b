/** Sample messages of the Verify tool: messages of other SDKs, and one of each kind of ours. */
import { readFileSync } from 'node:fs'
import { cbor, extractBundle } from 'alvarium-sdk'

/**
 * @typedef {{ name: string, text: string, keys: string, payload: string }} Sample `payload` is hexadecimal
 */

const read = (name) => readFileSync(new URL(`../../../tests/vectors/${name}`, import.meta.url), 'utf8')
const utf8 = (text) => new TextEncoder().encode(text)
const textOf = (bytes) => new TextDecoder().decode(bytes)
const hex = (bytes) => Buffer.from(bytes).toString('hex')

/** @returns {Sample[]} */
export function samples() {
  return [
    classic('Go', 'create-hello'),
    classic('Java', 'base-create-hello'),
    classic('Rust', 'create-hello-tagged'),
    classic('Python', 'create-hello'),
    ...ours(),
  ]
}

/** Returns a message that another SDK made. @returns {Sample} */
function classic(language, name) {
  const file = language.toLowerCase()
  const { messages, payloads } = JSON.parse(read(`classic/${file}.json`))
  const { message, payload } = messages.find((one) => one.name === name)
  const keys = read(`keys/${file}-public.key`).trim()
  return { name: `${language} SDK`, text: message, keys, payload: payloads[payload] }
}

/** @returns {Sample[]} */
function ours() {
  const single = JSON.parse(read('bundle-1.json'))
  const batches = JSON.parse(read('batch-1.json'))
  const [one] = single.cases
  const several = batches.cases.find(({ payloads }) => payloads.length === 3)
  const sample = (name, text, payload, { publicKey }) => ({ name, text, keys: publicKey, payload })
  return [
    sample('Bundle', one.message, one.payload, single),
    sample('Batch', several.message, several.payloads[2], batches),
    sample('Extracted bundle', textOf(extractBundle(utf8(several.message), 2)), several.payloads[2], batches),
    sample('CBOR', hex(cbor().encode(utf8(one.message))), one.payload, single),
    ...withPolicies(one, single.publicKey),
  ]
}

/** Returns the same bundle as two samples with different trust policies. @returns {Sample[]} */
function withPolicies({ message, payload }, publicKey) {
  const policy = (...rules) =>
    ['signers:', '  - name: gateway-1', `    keys: ["${publicKey}"]`, ...rules, ''].join('\n')
  const allowing = policy('    hosts: [edge-7]', '    kinds: [src]', '    until: 2030-01-01T00:00:00Z')
  const revoking = policy('    revoked: { since: 2026-11-01T00:00:00Z }')
  return [
    { name: 'Policy that allows it', text: message, keys: allowing, payload },
    { name: 'Policy that revokes its signer', text: message, keys: revoking, payload },
  ]
}
