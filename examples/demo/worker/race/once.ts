/**
 * Contestant that a good engineer would write without this SDK: one hash and one signature per call, over
 * identity bytes. `verifyMessage` accepts its bundles.
 */
import { AT_ONCE } from '../../race.ts'
import { keyIdOf, verifyMessage } from '../sdk.ts'
import { type Contestant, inTurn, type Place, type Primitives, type Verified } from './contestant.ts'
import { hexOf } from './hexadecimal.ts'
import { IdentityWriter } from './identity.ts'
import { freshUlid } from './ulids.ts'

const FIXED = { host: location.hostname, layer: 'app', tag: '' }

const encoder = new TextEncoder()

export function onceContestant(place: Place, primitives: Primitives): Contestant {
  const create = onceCreate(place, primitives)
  const next = inTurn(place.payloads)
  return { calls: 1, run: () => create(next()), check: () => check(create, [next()], place) }
}

/** Makes the calls without waiting for each one, so that asynchronous parts may run in parallel. */
export function onceTogether(place: Place, primitives: Primitives): Contestant {
  const create = onceCreate(place, primitives)
  const next = inTurn(place.payloads)
  const some = () => Array.from({ length: AT_ONCE }, () => next())
  return {
    calls: AT_ONCE,
    run: () => Promise.all(some().map(create)),
    check: () => check(create, some(), place),
  }
}

type Create = (payload: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>

function onceCreate({ annotators, verifyingKey }: Place, { sha256, sign }: Primitives): Create {
  const kinds = Array.from({ length: annotators }, () => 'src')
  const signer = keyIdOf(verifyingKey)
  const identity = new IdentityWriter({ ...FIXED, signer, kinds })
  return async (payload) => {
    const key = hexOf(await sha256(payload)).toUpperCase()
    const now = performance.timeOrigin + performance.now()
    const timestamp = microsText(now)
    const annotations = kinds.map((kind) => annotation(kind, Math.floor(now)))
    const signature = hexOf(await sign(identity.write(key, timestamp, annotations)))
    const { host, layer } = FIXED
    const content = { signature, signer, key, hash: 'sha256', host, layer, timestamp, annotations }
    return encoder.encode(
      JSON.stringify({ action: 'create', messageType: 'alvarium.AnnotationBundle/1', content }),
    )
  }
}

function annotation(kind: string, millis: number) {
  return { id: freshUlid(millis), kind, tag: FIXED.tag, isSatisfied: true }
}

async function check(
  create: Create,
  payloads: readonly Uint8Array<ArrayBuffer>[],
  { annotators, verifyingKey }: Place,
): Promise<Verified> {
  const messages = await Promise.all(payloads.map(create))
  for (const [at, message] of messages.entries()) {
    const payload = payloads[at] as Uint8Array
    const bundle = await verifyMessage(message, { keyring: [verifyingKey], payload })
    if (bundle.annotations.length !== annotators) {
      throw new Error(`once: expected ${annotators} annotations, got ${bundle.annotations.length}`)
    }
  }
  return { signatures: messages.length, annotations: messages.length * annotators }
}

/** Formats milliseconds since 1970 as `2026-11-20T10:00:00.123456Z`. */
function microsText(millis: number): string {
  const micros = Math.floor((millis % 1) * 1000)
  return `${new Date(millis).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`
}
