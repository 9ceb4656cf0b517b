import { hostName, tagVariable } from '#platform'
import { ACTIONS } from './bundle.js'
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
import { AlvariumError } from './errors.js'
import type { Packed, PackedCall } from './group/packer.js'
import { Together } from './group/together.js'
import { digestInput, type HashInput, hashInput } from './hashing.js'
import { openSigningKey, type SigningKeyInput, wipeStack, withVerifyingKey } from './keys.js'
import { pooledSealer } from './pool/sealer.js'
import { externalSigner, type Signer, signDraft } from './signer.js'

/** What differs from call to call. */
export interface Call extends PackedCall {
  /** Whether the payloads may be taken away from the caller. */
  readonly transfer?: boolean
}

/** Turns calls into signed messages; holds what the core keeps between them, the key included. */
export interface Sealer {
  /**
   * A payload, ready to be sealed: hashed here if that is better than hashing it with the rest.
   *
   * @param mayChange - its owner may use its memory again before it is sealed
   */
  take(payload: Uint8Array, mayChange: boolean): HashInput
  /** Finished message bytes: at once with a key in the core, later with one elsewhere. */
  seal(call: Call): Uint8Array | Promise<Uint8Array>
  /** Puts the call into the batch, and returns how many bytes are in it now. Throws as `seal` does. */
  add(call: Call): number
  /** The batch's message, as `seal`; the next batch begins. */
  sealBatch(): Uint8Array | Promise<Uint8Array>
  /** Wipes the key. */
  free(): void
}

/** What bundles of one sealer have in common. */
export type SealerSettings = Pick<SdkSettings, 'hash' | 'engine' | 'layer' | 'host' | 'tag'> & {
  readonly annotators: readonly { readonly kind: string }[]
}

/** @throws AlvariumError `KEY_INVALID`, or `CONFIG_INVALID` for host, tag and kinds that a bundle cannot hold */
export async function openSealer(settings: SdkSettings): Promise<Sealer> {
  const { pool } = settings
  const signer = await externalSigner(settings.signingKey)
  if (signer && pool) {
    const text = 'pool: expected a signingKey that can be handed to workers, got a Signer or CryptoKeyPair'
    throw new AlvariumError('CONFIG_INVALID', text)
  }
  if (signer) return externalSealer(settings, signer)
  const signingKey = settings.signingKey as SigningKeyInput
  const sealer = openCoreSealer(settings, signingKey)
  if (!pool) return sealer
  try {
    return pooledSealer(pool, sealer, { ...settings, ...namesOf(settings) }, signingKey)
  } catch (error) {
    sealer.free()
    throw error
  }
}

/** @internal A sealer with the key in this thread's core. */
export interface CoreSealer extends Sealer {
  /** The messages of a group, as the core joins them. When one of its calls fails, none is sealed. */
  sealGroup(group: Packed): Uint8Array
}

/** @internal Throws as `openSealer` does. */
export function openCoreSealer(settings: SealerSettings, signingKey: SigningKeyInput): CoreSealer {
  const key = openSigningKey(signingKey)
  try {
    const sealer = borrow(
      () => key.object.verifyingKey(),
      (half) => holdSealer(settings, half),
    )
    const sealGroup = ({ numbers, bytes }: Packed) =>
      withCore(() => sealer.object.sealGroup(key.object, numbers, bytes))
    const together = new Together({
      one: (call) => withCore(() => sealer.object.seal(key.object, ...crossing(call))),
      group: sealGroup,
    })
    return {
      take: takeFor(settings),
      seal: (call) => together.seal(call),
      sealGroup,
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
    take: takeFor(settings),
    seal: (call) => sign(hold(() => sealer.object.draft(...crossing(call)))),
    add: (call) => withCore(() => sealer.object.add(...crossing(call))),
    sealBatch: () => sign(hold(() => sealer.object.draftBatch())),
    free: () => sealer.release(),
  }
}

function takeFor({ hash, engine }: SealerSettings): Sealer['take'] {
  return (payload, mayChange) => (mayChange ? digestInput : hashInput)(payload, hash, engine)
}

function holdSealer(settings: SealerSettings, key: VerifyingKey): Held<Handle> {
  const { hash, layer, annotators } = settings
  const { host, tag } = namesOf(settings)
  const kinds = annotators.map(({ kind }) => kind)
  return hold((core) => new core.Sealer(key, hash, host, layer, kinds, tag))
}

function namesOf({ layer, ...given }: SealerSettings): { readonly host: string; readonly tag: string } {
  const host = given.host ?? hostName()
  return { host, tag: given.tag ?? defaultTag(layer, host) }
}

/** The other SDKs' rule for what annotations can be found by. */
function defaultTag(layer: SdkSettings['layer'], host: string): string {
  if (layer === 'app') return tagVariable() ?? ''
  return layer === 'cicd' ? '' : host
}

/** A call as the core takes it: numbers and bytes, so that nothing has to be read field by field there. */
function crossing({ action, payload, previous, asked, answers }: PackedCall) {
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
