/**
 * Contestant with the design of the Java, Go, Rust and Python SDKs: each annotation hashes the payload, and
 * has its own id, timestamp, JSON and signature. The list of annotations is sent as base64. Unlike these
 * SDKs, it reads the key only once.
 */
import { keyOf, verifyBytes } from '../sdk.ts'
import { type Contestant, inTurn, type Place, type Primitives, type Verified } from './contestant.ts'
import { bytesOf, hexOf } from './hexadecimal.ts'
import { freshUlid } from './ulids.ts'

const encoder = new TextEncoder()

export function eachContestant(place: Place, primitives: Primitives): Contestant {
  const next = inTurn(place.payloads)
  return {
    calls: 1,
    run: () => create(next(), place.annotators, primitives),
    check: async () => {
      const payload = next()
      return check(await create(payload, place.annotators, primitives), payload, place)
    },
  }
}

async function create(
  payload: Uint8Array<ArrayBuffer>,
  annotators: number,
  primitives: Primitives,
): Promise<Uint8Array> {
  const items: object[] = []
  for (let n = 0; n < annotators; n++) items.push(await annotate(payload, primitives))
  // btoa accepts only Latin-1, and the content is ASCII.
  const content = btoa(JSON.stringify({ items }))
  return encoder.encode(
    JSON.stringify({ action: 'create', messageType: 'contracts.AnnotationList', content }),
  )
}

async function annotate(payload: Uint8Array<ArrayBuffer>, primitives: Primitives): Promise<object> {
  const annotation = {
    id: freshUlid(Date.now()),
    key: hexOf(await primitives.sha256(payload)).toUpperCase(),
    hash: 'sha256',
    host: location.hostname,
    tag: '',
    layer: 'app',
    kind: 'src',
    isSatisfied: true,
    timestamp: new Date().toISOString(),
  }
  const signature = await primitives.sign(encoder.encode(JSON.stringify(annotation)))
  return { ...annotation, signature: hexOf(signature) }
}

function check(message: Uint8Array, payload: Uint8Array, { verifyingKey, annotators }: Place): Verified {
  const { content } = JSON.parse(new TextDecoder().decode(message)) as { content: string }
  const { items } = JSON.parse(atob(content)) as { items: { key: string; signature: string }[] }
  const key = keyOf(payload)
  for (const { signature, ...annotation } of items) {
    const signed = encoder.encode(JSON.stringify(annotation))
    if (annotation.key !== key || !verifyBytes(verifyingKey, signed, bytesOf(signature))) {
      throw new Error('original style: wrote an annotation that does not verify')
    }
  }
  if (items.length !== annotators) {
    throw new Error(`original style: expected ${annotators} annotations, got ${items.length}`)
  }
  return { signatures: items.length, annotations: items.length }
}
