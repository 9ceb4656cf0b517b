import * as glue from '../../foundation/algorithms/glue.js'
import { adoptModule } from '../../foundation/algorithms/module.js'
import type { JoinedBytes } from '../../foundation/base/bytes/join.js'
import { AlvariumError } from '../../foundation/base/errors.js'
import { digestInput, minHostBytes } from '../../foundation/core/hashing.js'
import type { SealerSetup } from '../../foundation/model/worker-pool.js'
import { readSigningKey } from '../../signing/keys/core-key.js'
import { CoreVerifier, type VerifyingCore } from '../../signing/keys/core-verifier.js'
import { isEc } from '../../signing/keys/ec/der.js'
import { readEc } from '../../signing/keys/ec/signing-key.js'
import { HostSigningKey, portableKey } from '../../signing/keys/host-signing.js'
import { ecVerifier, hostKeysVerifier } from '../../signing/keys/outside-keys.js'
import type { OutsideVerifier } from '../../signing/keys/outside-verifier.js'
import { withPublicKey } from '../../signing/keys/verifying.js'
import { sealEach } from '../../signing/seal/coalescer.js'
import { openCoreSealer } from '../../signing/seal/core-sealer.js'
import { openOutsideSealer } from '../../signing/seal/outside-sealer.js'
import { digestInPlace, type PackedCalls } from '../../signing/seal/packed.js'
import { viewPacked } from '../../signing/seal/packer.js'
import type { GroupSealer, SealerSettings } from '../../signing/seal/sealer.js'
import { answersIn, failureOf, orFailure, verifyMany } from '../../verifying/verify/many.js'
import { checkPayload } from '../../verifying/verify/payload.js'
import { type Verifiable, verifiablesIn } from './messages.js'
import type { Results, SealRequest, Setup, VerifierSetup, VerifyRequest } from './protocol.js'

/**
 * Opens the worker's side of an SDK that signs in a pool. `seal` throws errors that are not about a call,
 * such as a trap, because the pool must then replace the worker.
 */
export function openSealer({ kinds, signingKey, ...setup }: SealerSetup) {
  takeLoaded(setup)
  const { hash, engine } = setup
  const settings = { ...setup, annotators: kinds.map((kind) => ({ kind })) }
  const sealer = sealerOf(settings, signingKey)
  signingKey.fill(0)
  const digest = (payload: Uint8Array) => digestInput(payload, hash, engine).bytes
  const least = minHostBytes(hash, engine)
  return {
    seal: ({ memory, size, length, outOfLine }: SealRequest): Results => {
      const group = viewPacked(memory, size, length)
      for (const { payload, at } of outOfLine) group.bytes.set(digest(payload), at)
      digestInPlace(group, least, digest)
      return sealAll(group, sealer.sealGroup)
    },
    free: () => sealer.free(),
  }
}

function sealerOf(settings: SealerSettings, signingKey: Uint8Array): GroupSealer {
  if (settings.engine === 'host')
    return openOutsideSealer(settings, new HostSigningKey(portableKey(signingKey)))
  if (isEc(signingKey)) return openOutsideSealer(settings, readEc(signingKey))
  return openCoreSealer(settings, readSigningKey(signingKey))
}

function sealAll(group: PackedCalls, seal: GroupSealer['sealGroup']): Results {
  try {
    return seal(group) as Uint8Array<ArrayBuffer>
  } catch (error) {
    failureOf(error)
    return sealEach(group, seal).map((outcome) =>
      outcome instanceof AlvariumError ? failureOf(outcome) : outcome,
    )
  }
}

/** Opens a verifier with the public keys of a keyring. `verify` throws as `seal` does. */
export function openVerifier(setup: VerifierSetup) {
  takeLoaded(setup)
  const core = new CoreVerifier(setup.engine === 'host' ? { ...setup, keys: [] } : setup)
  const verifier: VerifyingCore = { use: (run) => core.use(run), outside: outsideVerifierOf(setup) }
  return {
    verify: (request: VerifyRequest): string => {
      const items = verifiablesIn(request)
      const messages = items.map(({ message }) => message)
      if (items.every(({ payload }) => payload === undefined)) {
        return verifyMany(verifier, messages, joinedInPlace(messages))
      }
      return checkPayloads(verifyMany(verifier, messages), items)
    },
    free: () => core.close(),
  }
}

/** Returns the verifier of the keys that the core does not verify with, if there are any. */
function outsideVerifierOf({ keys, ecKeys, engine }: VerifierSetup): OutsideVerifier | undefined {
  if (engine !== 'host') return ecKeys.length > 0 ? ecVerifier(ecKeys, keys.length) : undefined
  if (keys.length + ecKeys.length === 0) return undefined
  const ids = keys.map((key) => [withPublicKey(key, (publicKey) => publicKey.id()), key] as const)
  return hostKeysVerifier([...ids, ...ecKeys.map((key) => [key.keyId, key] as const)])
}

/** Uses the WebAssembly module of the algorithms, which the pool has loaded and compiled. */
function takeLoaded({ algorithms }: Pick<Setup, 'algorithms'>): void {
  if (algorithms) adoptModule(algorithms as WebAssembly.Module, glue)
}

/** Returns adjacent messages in a job's memory as one array, which can be copied into the core at once. */
function joinedInPlace(messages: readonly Uint8Array[]): JoinedBytes {
  const lengths = Uint32Array.from(messages, ({ length }) => length)
  const [first] = messages
  const all = lengths.reduce((sum, length) => sum + length, 0)
  return { bytes: new Uint8Array(first?.buffer ?? new ArrayBuffer(0), first?.byteOffset, all), lengths }
}

function checkPayloads(outcomes: string, items: readonly Verifiable[]): string {
  const verified = answersIn(outcomes).map((outcome, at) => {
    const payload = items[at]?.payload
    const [bundle, ...others] = 'code' in outcome ? [] : outcome
    // Do not compare a batch with the payload, because the caller rejects the batch with another error.
    if (!payload || !bundle || others.length > 0) return outcome
    return orFailure(() => {
      checkPayload(bundle, payload)
      return outcome
    })
  })
  return JSON.stringify(verified)
}
