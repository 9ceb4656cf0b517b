import { callTurns } from '../../../foundation/base/time/turns.js'
import type { Input } from '../../../foundation/model/bundle.js'
import { inputsOf } from '../../../foundation/model/bundle.js'
import type { VerifiedBundle } from '../../../verifying/verify/options.js'
import { type ExportedBundles, eachOnce } from './bundles.js'
import { NAMES, payloadDigest, SETS } from './names.js'

/** Prefixes of the qualified names in the document (FORMAT.md, Exports). */
const PREFIXES = {
  alvarium: `${NAMES}prov/v1#`,
  sha256: `${NAMES}payload/sha256/`,
  md5: `${NAMES}payload/md5/`,
  set: SETS,
  bundle: `${NAMES}bundle/v1/`,
  call: `${NAMES}call/v1/`,
  annotation: `${NAMES}annotation/v1/`,
  signer: `${NAMES}signer/v1/`,
  host: `${NAMES}host/v1/`,
}

const PIECE_CHARACTERS = 65_536

/**
 * Exports verified bundles as PROV-JSON (W3C Member Submission of 2013-04-24). The result is one document with a PROV
 * bundle for each verified bundle. Payloads and annotations are entities, the call is an activity, and signer and host
 * are agents. The same bundles in the same order give the same bytes. A bundle that occurs twice is exported once.
 *
 * The document has no signature, so nobody can verify the document alone. Keep the messages or a pack, too.
 *
 * @param bundles - verified bundles from `verifyMessage`, `subscribe` or `readPack`
 * @returns the bytes of the document, in pieces
 * @throws TypeError for a value that is not a verified bundle. Errors of `bundles` are thrown unchanged
 *
 * @example
 * ```ts
 * import { readPack, toProv } from 'alvarium-sdk/packs'
 *
 * async function exported(pack: Blob, keyring: Keyring) {
 *   await writeFile('evidence.prov.json', toProv(readPack(pack, { keyring })))
 * }
 * ```
 */
export async function* toProv(bundles: ExportedBundles): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder()
  let text = `{"prefix":${JSON.stringify(PREFIXES)},"bundle":{`
  let between = '\n'
  for await (const bundle of eachOnce(bundles)) {
    text += `${between}"bundle:${bundle.id}":{`
    for (const fragment of textsOf(sectionsOf(bundle))) {
      text += fragment
      if (text.length < PIECE_CHARACTERS) continue
      await callTurns.yieldIfDueLong()
      yield encoder.encode(text)
      text = ''
    }
    text += '}'
    between = ',\n'
  }
  yield encoder.encode(`${text}\n}}\n`)
}

type ProvEntry = readonly [id: string, attributes: object]
type ProvEntries = Iterable<ProvEntry>

function* textsOf(sections: Readonly<Record<string, ProvEntries>>): Generator<string, void> {
  let before = ''
  for (const [name, entries] of Object.entries(sections)) {
    let open = `${before}"${name}":{`
    for (const [id, attributes] of entries) {
      yield `${open}${JSON.stringify(id)}:${JSON.stringify(attributes)}`
      open = ','
    }
    if (open !== ',') continue
    yield '}'
    before = ','
  }
}

/**
 * Returns the sections of the document. Each relation has a name of `_:`, a letter and a number. Entries are
 * made when they are read, because there may be 65,536 inputs.
 */
function sectionsOf(bundle: VerifiedBundle): Record<string, ProvEntries> {
  const { id, action, layer, timestamp, annotations } = bundle
  const [payload, call, agents] = [nameOf(bundle), `call:${id}`, agentsOf(bundle)]
  const [signer] = agents.keys()
  // Names of the inputs. `entitiesOf` fills the set, because entities are written before the relations.
  const inputNames = new Set<string>()
  const isNew = action === 'create' || action === 'mutate'
  const answers = annotations.map((_, at) => `annotation:${id}.${at}`)
  return {
    entity: entitiesOf(bundle, payload, inputNames),
    activity: [[call, { 'prov:endTime': timestamp, 'alvarium:action': action, 'alvarium:layer': layer }]],
    agent: agents,
    wasGeneratedBy: numberEntries('g', isNew ? [payload, ...answers] : answers, (entity) => ({
      'prov:entity': entity,
      'prov:activity': call,
    })),
    // A call that creates or mutates a payload uses its inputs. A call with another action uses the payload itself.
    used: numberEntries('u', isNew ? inputNames : [payload], (entity) => ({
      'prov:activity': call,
      'prov:entity': entity,
    })),
    wasDerivedFrom: numberEntries('d', derivationsOf(payload, inputNames, answers), ([one, from]) => ({
      'prov:generatedEntity': one,
      'prov:usedEntity': from,
      'prov:activity': call,
    })),
    wasAttributedTo: numberEntries('a', isNew ? [payload] : [], (entity) => ({
      'prov:entity': entity,
      'prov:agent': signer,
    })),
    wasAssociatedWith: numberEntries('w', agents.keys(), (agent) => ({
      'prov:activity': call,
      'prov:agent': agent,
    })),
  }
}

/** Yields the entities of a bundle. @param inputNames - set to which the names of the inputs are added */
function* entitiesOf(
  bundle: VerifiedBundle,
  payload: string,
  inputNames: Set<string>,
): Generator<ProvEntry, void> {
  for (const input of inputsOf(bundle)) {
    const name = nameOf(input)
    if (inputNames.has(name)) continue
    inputNames.add(name)
    yield [name, entityOf(input)]
  }
  if (!inputNames.has(payload)) yield [payload, entityOf(bundle)]
  for (const [at, { id, kind, tag, isSatisfied }] of bundle.annotations.entries()) {
    const answer = {
      'prov:type': type('alvarium:Annotation'),
      'alvarium:id': id,
      'alvarium:kind': kind,
      'alvarium:tag': tag,
      'alvarium:isSatisfied': isSatisfied,
    }
    yield [`annotation:${bundle.id}.${at}`, answer]
  }
}

function* derivationsOf(
  payload: string,
  inputNames: Iterable<string>,
  answers: readonly string[],
): Generator<readonly [one: string, from: string], void> {
  for (const input of inputNames) yield [payload, input]
  for (const answer of answers) yield [answer, payload]
}

function* numberEntries<T>(
  letter: string,
  items: Iterable<T>,
  attributes: (item: T) => object,
): Generator<ProvEntry, void> {
  let at = 0
  for (const item of items) yield [`_:${letter}${at++}`, attributes(item)]
}

function nameOf(input: Input): string {
  if ('set' in input) return `set:${input.set}`
  const { hash, digest } = payloadDigest(input)
  return `${hash}:${digest}`
}

function entityOf(input: Input): object {
  if ('set' in input) return { 'prov:type': type('prov:Collection') }
  return { 'prov:type': type('alvarium:Payload'), 'alvarium:hash': input.hash }
}

/** Returns the agents of a bundle, the signer first. Encodes the host name, because it can be any text. */
function agentsOf({ signer, signedBy, host }: VerifiedBundle): Map<string, object> {
  const agents = new Map<string, object>()
  const named = signedBy && { 'alvarium:name': signedBy.name }
  agents.set(`signer:${signer}`, { 'prov:type': type('prov:SoftwareAgent'), ...named })
  if (host !== '') {
    const agent = { 'prov:type': type('alvarium:Host'), 'alvarium:host': host }
    agents.set(`host:${encodeURIComponent(host)}`, agent)
  }
  return agents
}

/** Returns a qualified name as a typed value (PROV-JSON §2.4). */
function type(name: string) {
  return { $: name, type: 'xsd:QName' }
}
