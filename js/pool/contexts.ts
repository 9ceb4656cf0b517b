import { takeAlgorithms } from '../algorithms/module.js'
import { AlvariumError } from '../base/errors.js'
import { digestInput, hostFrom } from '../hashing/hashing.js'
import { CoreVerifier } from '../keys/core-verifier.js'
import { readOther } from '../keys/other-signing.js'
import { OtherVerifier } from '../keys/other-verifier.js'
import { readSigningKey } from '../keys/signing.js'
import type { IdentifiedBundle } from '../model/bundle.js'
import type { SealerSetup, Trusted } from '../model/worker-pool.js'
import { openCoreSealer } from '../seal/in-core.js'
import { openOtherSealer } from '../seal/other.js'
import { apiece, digestInPlace, type Packed, payloadsOf } from '../seal/packed.js'
import type { GroupSealer } from '../seal/sealer.js'
import { sealApiece } from '../seal/together.js'
import { type Failure, failureOf, orFailure, verifyMany } from '../verify/many.js'
import type { Verifying } from '../verify/one.js'
import { checkPayload } from '../verify/payload.js'
import type { Apart, Setup } from './protocol.js'
import type { Results } from './results.js'

/** A context, as a worker has it. */
export interface OpenContext {
  /** @throws what is no answer to a call, a trap of the core for example: this worker has to be replaced */
  run(group: Packed, apart: readonly Apart[]): Results
  /** Wipes the key. */
  free(): void
}

export function openContext(setup: Setup): OpenContext {
  const { algorithms } = setup
  // The pool has loaded and compiled them.
  if (algorithms) takeAlgorithms(algorithms as WebAssembly.Module)
  return 'signingKey' in setup ? openSealing(setup) : openVerifying(setup)
}

function openSealing({ kinds, signingKey, ...setup }: SealerSetup): OpenContext {
  const { hash, engine } = setup
  const settings = { ...setup, annotators: kinds.map((kind) => ({ kind })) }
  const sealer = setup.algorithms
    ? openOtherSealer(settings, readOther(signingKey))
    : openCoreSealer(settings, readSigningKey(signingKey))
  signingKey.fill(0)
  const digest = (payload: Uint8Array) => digestInput(payload, hash, engine).bytes
  const least = hostFrom(hash, engine)
  return {
    run: (group, apart) => {
      for (const { payload, at } of apart) group.bytes.set(digest(payload), at)
      digestInPlace(group, least, digest)
      return sealed(group, sealer.sealGroup)
    },
    free: () => sealer.free(),
  }
}

function sealed(group: Packed, seal: GroupSealer['sealGroup']): Results {
  try {
    return seal(group) as Uint8Array<ArrayBuffer>
  } catch (error) {
    failureOf(error)
    return sealApiece(group, seal).map((outcome) =>
      outcome instanceof AlvariumError ? failureOf(outcome) : outcome,
    )
  }
}

function openVerifying(trusted: Trusted): OpenContext {
  const core = new CoreVerifier(trusted)
  const { keys, otherKeys } = trusted
  const others = otherKeys.length > 0 ? new OtherVerifier(otherKeys, keys.length) : undefined
  const verifier: Verifying = { use: (run) => core.use(run), others }
  return {
    run: (group, apart) => {
      const pieces = apiece(group).map((one) => piecesOf(one, group, apart))
      const outcomes = verifyMany(
        verifier,
        pieces.map(([message]) => message),
      )
      return pieces.some(([, payload]) => payload) ? checked(outcomes, pieces) : outcomes
    },
    free: () => core.close(),
  }
}

/** A message, and the payload that it should be about. */
type Pieces = readonly [message: Uint8Array, payload: Uint8Array | undefined]

function piecesOf(one: Packed, group: Packed, apart: readonly Apart[]): Pieces {
  const [message, payload] = payloadsOf(one)
  const whole = (piece: Uint8Array) => {
    // Nothing, and what is apart behind it, begin at the same place.
    if (piece.length === 0) return piece
    const at = piece.byteOffset - group.bytes.byteOffset
    return apart.find((other) => other.at === at)?.payload ?? piece
  }
  return [whole(message), payload && whole(payload)]
}

function checked(outcomes: string, pieces: readonly Pieces[]): string {
  const verified = (JSON.parse(outcomes) as (IdentifiedBundle[] | Failure)[]).map((outcome, at) => {
    const payload = pieces[at]?.[1]
    const [bundle, ...others] = 'code' in outcome ? [] : outcome
    // A batch is refused for what it is.
    if (!payload || !bundle || others.length > 0) return outcome
    return orFailure(() => {
      checkPayload(bundle, payload)
      return outcome
    })
  })
  return JSON.stringify(verified)
}
