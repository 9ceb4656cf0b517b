import { callTurns } from '../../base/time/turns.js'
import type { Input } from '../../model/bundle.js'
import { madeFromOf } from '../../model/made-from.js'
import type { VerifiedBundle } from '../../verify/options.js'
import { type ExportedBundles, eachOnce } from './bundles.js'
import { payloadDigest, SETS } from './names.js'

/** Names are written with these, and a colon. FORMAT.md, Exports. */
const PREFIXES = {
  alvarium: 'https://alvarium.org/prov/v1#',
  sha256: 'https://alvarium.org/payload/sha256/',
  md5: 'https://alvarium.org/payload/md5/',
  set: SETS,
  bundle: 'https://alvarium.org/bundle/v1/',
  call: 'https://alvarium.org/call/v1/',
  annotation: 'https://alvarium.org/annotation/v1/',
  signer: 'https://alvarium.org/signer/v1/',
  host: 'https://alvarium.org/host/v1/',
}

/** Text is written in pieces of about so many characters. */
const PIECE = 65_536

/**
 * Exports verified bundles as W3C PROV in JSON (PROV-JSON, W3C Member Submission of 2013-04-24): one document, in which each is a PROV bundle
 * with its payloads and annotations as entities, the call as an activity, and signer and host as agents. The same bundles in the same order
 * give the same bytes. A bundle that comes twice is exported once.
 *
 * It cannot carry a signature: whoever has the document alone has to believe it. Keep the messages, or a pack, beside it.
 *
 * @param bundles - verified bundles, as `verifyMessage`, `subscribe` or `readPack` give them
 * @returns the bytes of the document, in pieces
 * @throws TypeError for what is not a verified bundle. What `bundles` throws comes out as it is
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
    for (const some of textsOf(sectionsOf(bundle))) {
      text += some
      if (text.length < PIECE) continue
      await callTurns.takeLong()
      yield encoder.encode(text)
      text = ''
    }
    text += '}'
    between = ',\n'
  }
  yield encoder.encode(`${text}\n}}\n`)
}

type Entries = Iterable<readonly [id: string, attributes: object]>

/** What stands between the braces of a PROV bundle. */
function* textsOf(sections: Readonly<Record<string, Entries>>): Generator<string, void> {
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

/** What a bundle says, as PROV has it (PROV-DM). Relations have no names: `_:` and a number. */
function sectionsOf(bundle: VerifiedBundle): Record<string, Entries> {
  const { id, action, layer, timestamp, annotations } = bundle
  const [payload, call, agents] = [nameOf(bundle), `call:${id}`, agentsOf(bundle)]
  const [signer] = agents.keys()
  const inputs = new Map(madeFromOf(bundle).map((input) => [nameOf(input), entityOf(input)]))
  const made = [...inputs.keys()]
  const isNew = action === 'create' || action === 'mutate'
  const answers = annotations.map(
    (one, at) =>
      [`annotation:${id}.${at}`, { 'prov:type': type('alvarium:Annotation'), ...answerOf(one) }] as const,
  )
  const generated = [...(isNew ? [payload] : []), ...answers.map(([name]) => name)]
  const derived = [
    ...made.map((input) => [payload, input] as const),
    ...answers.map(([name]) => [name, payload] as const),
  ]
  return {
    entity: new Map([...inputs, [payload, entityOf(bundle)] as const, ...answers]),
    activity: [[call, { 'prov:endTime': timestamp, 'alvarium:action': action, 'alvarium:layer': layer }]],
    agent: agents,
    wasGeneratedBy: numbered('g', generated, (entity) => ({ 'prov:entity': entity, 'prov:activity': call })),
    // What was made is not used: what it was made from is, and what was only looked at.
    used: numbered('u', isNew ? made : [payload], (entity) => ({
      'prov:activity': call,
      'prov:entity': entity,
    })),
    wasDerivedFrom: numbered('d', derived, ([one, from]) => ({
      'prov:generatedEntity': one,
      'prov:usedEntity': from,
      'prov:activity': call,
    })),
    wasAttributedTo: numbered('a', isNew ? [payload] : [], (entity) => ({
      'prov:entity': entity,
      'prov:agent': signer,
    })),
    wasAssociatedWith: numbered('w', [...agents.keys()], (agent) => ({
      'prov:activity': call,
      'prov:agent': agent,
    })),
  }
}

function* numbered<T>(
  letter: string,
  items: readonly T[],
  attributes: (item: T) => object,
): Generator<readonly [string, object], void> {
  for (const [at, item] of items.entries()) yield [`_:${letter}${at}`, attributes(item)]
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

function answerOf({ id, kind, tag, isSatisfied }: VerifiedBundle['annotations'][number]): object {
  return {
    'alvarium:id': id,
    'alvarium:kind': kind,
    'alvarium:tag': tag,
    'alvarium:isSatisfied': isSatisfied,
  }
}

/** The signer first. A host may have no name, and any. */
function agentsOf({ signer, signedBy, host }: VerifiedBundle): Map<string, object> {
  const name = signedBy?.name
  const agents = new Map<string, object>([
    [
      `signer:${signer}`,
      { 'prov:type': type('prov:SoftwareAgent'), ...(name !== undefined && { 'alvarium:name': name }) },
    ],
  ])
  if (host !== '') {
    agents.set(`host:${encodeURIComponent(host)}`, {
      'prov:type': type('alvarium:Host'),
      'alvarium:host': host,
    })
  }
  return agents
}

/** A qualified name as a value (§2.4). */
function type(name: string) {
  return { $: name, type: 'xsd:QName' }
}
