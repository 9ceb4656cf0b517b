import { hostName, tagVariable } from '#platform'
import { ACTIONS, type Action } from './bundle.js'
import { nowMicros } from './clock.js'
import type { SdkSettings } from './config/options.js'
import {
  borrow,
  type Draft,
  type Sealer as Handle,
  type Held,
  hold,
  type VerifyingKey,
  withCore,
} from './core/core.js'
import { randomWord } from './entropy.js'
import type { HashInput } from './hashing.js'
import { openSigningKey, type SigningKeyInput, wipeStack, withVerifyingKey } from './keys.js'
import { externalSigner, type Signer, signDraft } from './signer.js'

/** What differs from call to call. */
export interface Call {
  readonly action: Action
  readonly payload: HashInput
  readonly previous: HashInput | undefined
  /** Bit n: annotator n was asked. */
  readonly asked: number
  /** Bit n: annotator n is satisfied. */
  readonly answers: number
}

/** Turns calls into signed messages; holds what the core keeps between them, the key included. */
export interface Sealer {
  /** Finished message bytes: at once with a key in the core, later with one elsewhere. */
  seal(call: Call): Uint8Array | Promise<Uint8Array>
  /** Puts the call into the batch, and returns how many bytes are in it now. Throws as `seal` does. */
  add(call: Call): number
  /** The batch's message, as `seal`; the next batch begins. */
  sealBatch(): Uint8Array | Promise<Uint8Array>
  /** Wipes the key. */
  free(): void
}

/** @throws AlvariumError `KEY_INVALID`, or `CONFIG_INVALID` for host, tag and kinds that a bundle cannot hold */
export async function openSealer(settings: SdkSettings): Promise<Sealer> {
  const signer = await externalSigner(settings.signingKey)
  return signer
    ? externalSealer(settings, signer)
    : coreSealer(settings, settings.signingKey as SigningKeyInput)
}

function coreSealer(settings: SdkSettings, signingKey: SigningKeyInput): Sealer {
  const key = openSigningKey(signingKey)
  try {
    const sealer = borrow(
      () => key.object.verifyingKey(),
      (half) => holdSealer(settings, half),
    )
    return {
      seal: (call) => withCore(() => sealer.object.seal(key.object, ...crossing(call))),
      add: (call) => withCore(() => sealer.object.add(...crossing(call))),
      sealBatch: () => withCore(() => sealer.object.sealBatch(key.object)),
      free: () => {
        key.release()
        sealer.release()
        wipeStack()
      },
    }
  } catch (error) {
    key.release()
    throw error
  }
}

function externalSealer(settings: SdkSettings, signer: Signer): Sealer {
  const sealer = withVerifyingKey(signer.verifyingKey, (key) => holdSealer(settings, key))
  const sign = (draft: Held<Draft>) => signDraft(draft, signer, settings.signerTimeoutMs)
  return {
    seal: (call) => sign(hold(() => sealer.object.draft(...crossing(call)))),
    add: (call) => withCore(() => sealer.object.add(...crossing(call))),
    sealBatch: () => sign(hold(() => sealer.object.draftBatch())),
    free: () => sealer.release(),
  }
}

function holdSealer(settings: SdkSettings, key: VerifyingKey): Held<Handle> {
  const { hash, layer, annotators } = settings
  const host = settings.host ?? hostName()
  const tag = settings.tag ?? defaultTag(layer, host)
  const kinds = annotators.map(({ kind }) => kind)
  return hold((core) => new core.Sealer(key, hash, host, layer, kinds, tag))
}

/** The other SDKs' rule for what annotations can be found by. */
function defaultTag(layer: SdkSettings['layer'], host: string): string {
  if (layer === 'app') return tagVariable() ?? ''
  return layer === 'cicd' ? '' : host
}

/** A call as the core takes it: numbers and bytes, so that nothing has to be read field by field there. */
function crossing({ action, payload, previous, asked, answers }: Call) {
  return [
    ACTIONS.indexOf(action),
    payload.bytes,
    payload.isDigest,
    previous?.bytes,
    previous?.isDigest ?? false,
    asked,
    answers,
    nowMicros(),
    randomWord(),
    randomWord(),
    randomWord(),
  ] as const
}
