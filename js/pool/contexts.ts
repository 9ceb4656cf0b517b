import * as glue from '../algorithms/glue.js'
import { takeCompiled } from '../algorithms/module.js'
import type { Joined } from '../base/bytes/join.js'
import { AlvariumError } from '../base/errors.js'
import { digestInput, hostFrom } from '../core/hashing.js'
import { CoreVerifier } from '../keys/core-verifier.js'
import { readEc } from '../keys/ec-signing.js'
import { EcVerifier } from '../keys/ec-verifier.js'
import { readSigningKey } from '../keys/signing.js'
import type { SealerSetup } from '../model/worker-pool.js'
import { sealApiece } from '../seal/coalescer.js'
import { openEcSealer } from '../seal/ec.js'
import { openCoreSealer } from '../seal/in-core.js'
import { digestInPlace, type PackedCalls } from '../seal/packed.js'
import { packedIn } from '../seal/packer.js'
import type { GroupSealer } from '../seal/sealer.js'
import { answersIn, failureOf, orFailure, verifyMany } from '../verify/many.js'
import type { VerifyingCore } from '../verify/one.js'
import { checkPayload } from '../verify/payload.js'
import { type Verifiable, verifiablesIn } from './messages.js'
import type { Results, SealRequest, Setup, VerifierSetup, VerifyRequest } from './protocol.js'

/** Seals the calls of one SDK, as a worker has it. */
export interface OpenSealer {
  /** @throws what is not about the call, such as a trap of the core: this worker has to be replaced */
  seal(request: SealRequest): Results
  /** Wipes the key. */
  free(): void
}

/** Verifies by one keyring, as a worker has it. */
export interface OpenVerifier {
  /** @throws as {@link OpenSealer} does */
  verify(request: VerifyRequest): string
  /** Gives the core's memory back. */
  free(): void
}

export function openSealer({ kinds, signingKey, ...setup }: SealerSetup): OpenSealer {
  takeLoaded(setup)
  const { hash, engine } = setup
  const settings = { ...setup, annotators: kinds.map((kind) => ({ kind })) }
  const sealer = setup.algorithms
    ? openEcSealer(settings, readEc(signingKey))
    : openCoreSealer(settings, readSigningKey(signingKey))
  signingKey.fill(0)
  const digest = (payload: Uint8Array) => digestInput(payload, hash, engine).bytes
  const least = hostFrom(hash, engine)
  return {
    seal: ({ memory, size, length, outOfLine }) => {
      const group = packedIn(memory, size, length)
      for (const { payload, at } of outOfLine) group.bytes.set(digest(payload), at)
      digestInPlace(group, least, digest)
      return sealed(group, sealer.sealGroup)
    },
    free: () => sealer.free(),
  }
}

function sealed(group: PackedCalls, seal: GroupSealer['sealGroup']): Results {
  try {
    return seal(group) as Uint8Array<ArrayBuffer>
  } catch (error) {
    failureOf(error)
    return sealApiece(group, seal).map((outcome) =>
      outcome instanceof AlvariumError ? failureOf(outcome) : outcome,
    )
  }
}

export function openVerifier(setup: VerifierSetup): OpenVerifier {
  takeLoaded(setup)
  const core = new CoreVerifier(setup)
  const { keys, ecKeys } = setup
  const ec = ecKeys.length > 0 ? new EcVerifier(ecKeys, keys.length) : undefined
  const verifier: VerifyingCore = { use: (run) => core.use(run), ec }
  return {
    verify: (request) => {
      const items = verifiablesIn(request)
      const messages = items.map(({ message }) => message)
      if (items.every(({ payload }) => payload === undefined)) {
        return verifyMany(verifier, messages, asTheyAre(messages))
      }
      return checked(verifyMany(verifier, messages), items)
    },
    free: () => core.close(),
  }
}

/** The pool has loaded and compiled them. */
function takeLoaded({ algorithms }: Pick<Setup, 'algorithms'>): void {
  if (algorithms) takeCompiled(algorithms as WebAssembly.Module, glue)
}

/** Messages in a job's memory, one after the other. They cross into the core from there. */
function asTheyAre(messages: readonly Uint8Array[]): Joined {
  const lengths = Uint32Array.from(messages, ({ length }) => length)
  const [first] = messages
  const all = lengths.reduce((sum, length) => sum + length, 0)
  return { bytes: new Uint8Array(first?.buffer ?? new ArrayBuffer(0), first?.byteOffset, all), lengths }
}

function checked(outcomes: string, items: readonly Verifiable[]): string {
  const verified = answersIn(outcomes).map((outcome, at) => {
    const payload = items[at]?.payload
    const [bundle, ...others] = 'code' in outcome ? [] : outcome
    // A batch is rejected because it is a batch.
    if (!payload || !bundle || others.length > 0) return outcome
    return orFailure(() => {
      checkPayload(bundle, payload)
      return outcome
    })
  })
  return JSON.stringify(verified)
}
