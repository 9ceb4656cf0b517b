import { readKey } from 'alvarium-sdk'
import {
  bundlesName,
  makePack,
  memberProofs,
  type PackedProof,
  type PackSubject,
  type VerifiedPack,
} from 'alvarium-sdk/packs'
import type { PayloadName } from 'alvarium-sdk/score'
import { sealSet, verifySet } from 'alvarium-sdk/sets'
import { MAX_ANCESTORS } from '../../evidence/packs/pack-scores.js'
import { needs, textOf } from '../../foundation/base/errors.js'
import { invalid, onlyWith } from '../fault.js'
import { type TrustedAt, type TrustOptions, trustedAt } from '../keys/trusted.js'
import { ControlReader } from '../messages/control-reader.js'
import { EXIT, type Run, type Session, worse } from '../session.js'
import { assertFree, assertReadOnce, writeNew } from '../set/files.js'
import { count, countOf } from '../terminal/words.js'
import { type AskOptions, askedFor, namesOf, payloadIn } from './asked.js'
import { Evidence } from './evidence.js'
import { type ListedSet, listedSets, setAt, shownOf } from './lists.js'
import { policyFor, scoreIn } from './policies.js'
import { packRows } from './report.js'
import { type SpanOptions, spanIn } from './spans.js'
import { judgePack, verifyFile } from './verify.js'

interface MakeOptions extends TrustOptions, AskOptions, SpanOptions {
  readonly out: string
  readonly log?: boolean
  readonly query?: string
  readonly set?: string
  readonly list?: readonly string[]
  readonly seal?: string
  readonly score?: string
}

export const run: Run<MakeOptions> = async (sources, options, session) => {
  assertOne(options)
  assertReadOnce({ sources: sources.find((one) => one === '-'), '--set': options.set })
  assertFree('--out', options.out)
  const at = await trustedAt(options, session.err)
  const [trust, score] = [await policyFor(options), await scoreIn(options.score)]
  const controls = await ControlReader.open(at, sources, options, session)
  const trusted = { ...at, leases: controls.trust.leases }
  const requestedPayload = await askedFor(options)
  session.begin()
  const evidence = new Evidence(sources, options.out, session)
  await evidence.read(
    trusted,
    requestedPayload !== undefined || options.set !== undefined,
    namesOf(requestedPayload),
  )
  if (session.interrupted.aborted) return EXIT.interrupted
  const payload = requestedPayload && (await payloadIn(evidence, requestedPayload, options, session))
  if (requestedPayload && !payload) return EXIT.unknown
  const about = await aboutOf(options, payload, evidence, trusted, session)
  const proofs = await proofsFor(options, about, evidence, at, session)
  if (payload && options.seal !== undefined)
    evidence.sets.push(await sealPack(evidence, payload, options.seal, trusted))
  const { leases, checkpoints, sets } = evidence
  const making = makePack(evidence.messages(about), {
    about,
    trust,
    score,
    leases,
    checkpoints,
    sets,
    proofs,
  })
  await writeNew('--out', options.out, making, session)
  if (evidence.unreadable > 0)
    await session.err.note(
      `left out, as nobody can read what they are about: ${countOf(evidence.unreadable, 'message')}`,
    )
  if (session.interrupted.aborted) return EXIT.interrupted
  // Verify the written file with the same trust, as its readers will.
  const code = await judgePack(
    () => verifyFile(options.out, at, session),
    (pack) => tell(pack, options, session),
    false,
    session,
  )
  return evidence.hasOther ? worse(code, EXIT.unknown) : code
}

async function tell(pack: VerifiedPack, { out }: MakeOptions, session: Session): Promise<void> {
  await session.out.lines(packRows(pack, out))
  if (pack.verdict.score === 'unknown') await session.out.undecided(UNKNOWN_SCORE)
}

function assertOne(options: MakeOptions): void {
  const { payload, payloadKey, log, query, set, list, seal } = options
  const given = [payload, payloadKey, log || undefined, query, set].filter((one) => one !== undefined)
  const isAboutPayload = payload !== undefined || payloadKey !== undefined
  if (given.length !== 1) {
    throw invalid(
      '--payload',
      'exactly one of --payload, --payload-key, --set, --log and --query',
      `${given.length}`,
    )
  }
  if (seal !== undefined && !isAboutPayload)
    throw onlyWith('--seal', '--payload or --payload-key, whose bundles it seals')
  for (const name of ['signer', 'from', 'until'] as const) {
    if (!log && options[name] !== undefined) throw onlyWith(`--${name}`, '--log')
  }
  if (list !== undefined && !isAboutPayload && set === undefined)
    throw onlyWith('--list', '--payload or --set')
  if (list === undefined && set !== undefined)
    throw needs('--list', 'the list of --set, with the payload keys of the set')
}

async function aboutOf(
  options: MakeOptions,
  payload: PayloadName | undefined,
  { checkpoints, sets }: Evidence,
  trust: TrustedAt,
  session: Session,
): Promise<PackSubject> {
  const { query = '', set: path } = options
  if (payload) return { payload: { hash: payload.hash, key: payload.key } }
  if (path === undefined) return query === '' ? spanIn(checkpoints, options, trust) : { query }
  const { message, set } = await setAt(path, trust, session)
  if (!sets.some((one) => Buffer.compare(one, message) === 0)) sets.push(message)
  return { set: set.id }
}

/** Returns proofs that payloads belong to listed sets, and adds the messages about these payloads to the pack. */
async function proofsFor(
  { list = [] }: MakeOptions,
  about: PackSubject,
  evidence: Evidence,
  trust: TrustedAt,
  session: Session,
): Promise<Iterable<PackedProof>> {
  const listed = await listedSets(list, evidence.sets, trust, session)
  for (const { set, list } of listed) evidence.addMembers(set.id, list.keys())
  const shown = shownOf(listed, about, (payload) => evidence.setsBehind(payload))
  return proofsOf(shown)
}

function* proofsOf(shown: readonly ListedSet[]): Generator<PackedProof, void> {
  for (const { set, list } of shown) yield* memberProofs(set, list)
}

/**
 * Seals the ids of all bundles about the payload as a set. Readers accept the set only if they trust the
 * key that signed it, so the trust policy in the pack must contain this key.
 */
async function sealPack(
  evidence: Evidence,
  payload: PayloadName,
  path: string,
  { keyring, receivedAt }: TrustedAt,
): Promise<Uint8Array> {
  const name = bundlesName(payload)
  if (name === undefined)
    throw invalid('--seal', 'a payload key that fits into the name of a set', 'a longer payload key')
  const signingKey = await readKey(path)
  try {
    const { message } = await sealSet(evidence.bundlesAbout(payload), { signingKey, name })
    await verifySet(message, { keyring, receivedAt }).catch((error) => {
      throw invalid(
        '--seal',
        'a private key whose public key is given with --key, or is in --trust',
        textOf(error),
      )
    })
    return message
  } finally {
    signingKey.fill(0)
  }
}

const UNKNOWN_SCORE = `its score is unknown: it was made from a set without its --list, or from more than ${count(MAX_ANCESTORS)} payloads`
