import { toHex } from 'alvarium-sdk/verify'
import { noteOfMessage } from '../../evidence/completeness/checkpoint/message.js'
import { readText } from '../../evidence/completeness/checkpoint/read-text.js'
import { readNote } from '../../evidence/logs/note.js'
import { readInputProof } from '../../evidence/sets/input-proof.js'
import { manifestIdentity, manifestIdOf, readManifest } from '../../evidence/sets/manifest-message.js'
import { readProof } from '../../evidence/sets/proof-message.js'
import { readSet, setIdentity, setIdOf } from '../../evidence/sets/set-message.js'
import { readUpdate } from '../../evidence/sets/update-message.js'
import { leaseIdentity, readSignedLease } from '../../evidence/trust/leases/lease.js'
import { isCheckpoint, isLease, isSet } from '../../verifying/consume/control-messages.js'
import { count, countOf } from '../terminal/words.js'
import { type Field, type Inspection, inspectFields, signedOf } from './inspection.js'

/**
 * Describes a control message: a lease, checkpoint, set, manifest, set proof, set update or input proof.
 *
 * @returns undefined for any other message
 */
export function inspectedControl(message: Uint8Array): Inspection | undefined {
  if (isLease(message)) return lease(message)
  if (isCheckpoint(message)) return checkpoint(message)
  if (!isSet(message)) return undefined
  const [, type = ''] =
    /^\{"messageType":"alvarium\.(\w+)/.exec(Buffer.from(message).toString('latin1')) ?? []
  const read = {
    Set: set,
    Manifest: manifest,
    SetProof: setProof,
    SetUpdate: setUpdate,
    InputProof: inputProof,
  }[type]
  return read?.(message)
}

function lease(message: Uint8Array): Inspection {
  const { signature, subjectSignature, ...statement } = readSignedLease(message)
  const { issuer, keyId, name, serial, from, until, hosts, layers, actions, kinds, tags, log } = statement
  const lists = Object.entries({ hosts, layers, actions, kinds, tags }).flatMap(([list, texts]): Field[] =>
    texts ? [[list, texts.join(', ') || 'none']] : [],
  )
  const fields: Field[] = [
    ...Object.entries({ issuer, 'lets sign': keyId, name, serial, from, until }),
    ...lists,
    ...(log ? [['states log', `run ${log.run}, size ${log.size}, root ${log.root}`] as const] : []),
  ]
  const identity = leaseIdentity(statement)
  const signatures = [signature, subjectSignature].map((one) => signedOf(identity, one))
  return inspectFields('alvarium.Lease/1', fields, signatures)
}

function checkpoint(message: Uint8Array): Inspection {
  const note = readNote(noteOfMessage(message))
  const { signer, run, number, size, root, from, at, entries, pending, refused, isLast } = readText(note.text)
  const bundles = entries.reduce((sum, entry) => sum + entry.bundles, 0)
  const places = (ranges: typeof pending) => ranges.map(({ first, last }) => `${first}-${last}`).join(' ')
  const fields: Field[] = [
    ['signer', signer],
    ['run', `${run}${isLast ? ', which has ended' : ''}`],
    ['number', count(number)],
    ['size', `${countOf(size, 'message')}, root ${root}`],
    ['since', `${countOf(from.size, 'message')}, at ${from.at}`],
    ['time', at],
    ['list', `${countOf(entries.length, 'message')}, ${countOf(bundles, 'bundle')}`],
    ...(pending.length > 0 ? [['pending', places(pending)] as const] : []),
    ...(refused.length > 0 ? [['refused', places(refused)] as const] : []),
  ]
  const text = new TextEncoder().encode(note.text)
  const signed = note.signatures.map(({ signature }) => signedOf(text, toHex(signature)))
  return inspectFields('alvarium.Checkpoint/1', fields, signed)
}

function set(message: Uint8Array): Inspection {
  const { signature, ...statement } = readSet(message)
  const { signer, name, host, timestamp, rows, size, root, salt } = statement
  const payloads = `${count(rows)}, ${count(size)} different${salt === undefined ? '' : ', with a salt'}`
  const fields = { signer, name, id: setIdOf(statement), payloads, root, host, time: timestamp }
  return inspectFields('alvarium.Set/1', Object.entries(fields), [
    signedOf(setIdentity(statement), signature),
  ])
}

function manifest(message: Uint8Array): Inspection {
  const { signature, ...statement } = readManifest(message)
  const { signer, name, host, timestamp, size, root, salt } = statement
  const records = `${count(size)}${salt === undefined ? '' : ', with a salt'}`
  const fields = { signer, name, id: manifestIdOf(statement), records, root, host, time: timestamp }
  return inspectFields('alvarium.Manifest/1', Object.entries(fields), [
    signedOf(manifestIdentity(statement), signature),
  ])
}

const NO_SIGNER = 'nobody: it must lead to what was signed'

function setProof(message: Uint8Array): Inspection {
  const { says, root, index, entries, path } = readProof(message)
  return inspectFields('alvarium.SetProof/1', [
    ['says', says],
    ['of the set', `with the root ${root}`],
    ['shows', `${countOf(entries.length, 'entry', 'entries')} from place ${count(index)}`],
    ...entries.map((entry): Field => ['', entry]),
    ['path', hashesIn(path)],
    ['signed by', NO_SIGNER],
  ])
}

function setUpdate(message: Uint8Array): Inspection {
  const { before, after, added, removed } = readUpdate(message)
  return inspectFields('alvarium.SetUpdate/1', [
    ['before', `the root ${before}`],
    ['after', `the root ${after}`],
    ['shows', `${count(added.length)} added, ${count(removed.length)} removed`],
    ['signed by', NO_SIGNER],
  ])
}

function inputProof(message: Uint8Array): Inspection {
  const { index, input, path, bundle } = readInputProof(message)
  const { size, root } = bundle.content.inputs
  return inspectFields('alvarium.InputProof/1', [
    ['input', 'set' in input ? `all of the set ${input.set}` : `${input.key} (${input.hash})`],
    ['place', `${count(index)} of ${countOf(size, 'input')}, with the root ${root}`],
    ['path', hashesIn(path)],
    ['bundle', JSON.stringify(bundle)],
  ])
}

const HASH_CHARACTERS = 32 * (4 / 3)

function hashesIn(path: string): string {
  return countOf(Math.floor(path.length / HASH_CHARACTERS), 'hash', 'hashes')
}
