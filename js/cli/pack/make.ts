import { keyOf, readKey } from 'alvarium-sdk'
import type { PayloadName } from 'alvarium-sdk/judge'
import { bundlesName, makePack, type PackSubject, type PackVerdict } from 'alvarium-sdk/packs'
import { sealSet } from 'alvarium-sdk/sets'
import { openAsSource } from 'alvarium-sdk/sources/node'
import type { HashName } from '../../model/bundle.js'
import { invalid } from '../fault.js'
import { type TrustOptions, trustedAt } from '../keys/trusted.js'
import { Beside } from '../messages/beside.js'
import { EXIT, type Run, type Session } from '../session.js'
import { assertFree, writeNew } from '../set/files.js'
import { ProgressLine } from '../terminal/progress.js'
import { bold, green, red, shown, yellow } from '../terminal/shown.js'
import { count, counted } from '../terminal/words.js'
import { Evidence, logIn } from './evidence.js'
import { Outcome } from './outcome.js'
import { policyFor, scoreIn } from './policies.js'

/** What `alvarium pack make` can be asked for. */
interface MakeOptions extends TrustOptions {
  readonly out: string
  readonly payload?: string
  readonly payloadKey?: string
  readonly hash: HashName
  readonly log?: boolean
  readonly query?: string
  readonly seal?: string
  readonly score?: string
}

export const run: Run<MakeOptions> = async (sources, options, session) => {
  assertOne(options)
  assertFree('--out', options.out)
  const [trust, score] = [await policyFor(options, session), await scoreIn(options.score)]
  const at = await trustedAt(options)
  const { leases: known } = await Beside.open(at, sources, options, session.input)
  const trusted = { ...at, leases: known }
  const payload = await payloadOf(options)
  session.begin()
  const evidence = new Evidence(sources, session)
  await evidence.read(trusted, payload)
  const about = await aboutOf(options, payload, evidence, trusted)
  if (payload && options.seal !== undefined) evidence.sets.push(await sealed(evidence, payload, options.seal))
  const { leases, checkpoints, sets } = evidence
  const making = makePack(evidence.messages(about), { about, trust, score, leases, checkpoints, sets })
  const verdict = await written(options.out, making, session)
  if (session.interrupted.aborted) return EXIT.interrupted
  await tell(options.out, verdict, session)
  return evidence.hasOther ? EXIT.unknown : exitFor(verdict)
}

function assertOne({ payload, payloadKey, log, query, seal }: MakeOptions): void {
  const given = [payload, payloadKey, log || undefined, query].filter((one) => one !== undefined)
  if (given.length !== 1) {
    throw invalid(
      '--payload',
      'one of --payload, --payload-key, --log and --query',
      `${given.length || 'none'}`,
    )
  }
  if (seal !== undefined && payload === undefined && payloadKey === undefined) {
    throw invalid('--seal', 'none without --payload, whose bundles it seals', 'one')
  }
}

async function payloadOf({ payload, payloadKey, hash }: MakeOptions): Promise<PayloadName | undefined> {
  if (payloadKey !== undefined) return { hash, key: hash === 'none' ? payloadKey : payloadKey.toUpperCase() }
  if (payload === undefined) return undefined
  return { hash, key: await keyOf(await openAsSource(payload), hash) }
}

async function aboutOf(
  { query = '' }: MakeOptions,
  payload: PayloadName | undefined,
  { checkpoints }: Evidence,
  trusted: Parameters<typeof logIn>[1],
): Promise<PackSubject> {
  if (payload) return { payload: { hash: payload.hash, key: payload.key } }
  return query === '' ? logIn(checkpoints, trusted) : { query }
}

/** That these are all bundles about the payload, by the word of whoever has this key. */
async function sealed(evidence: Evidence, payload: PayloadName, path: string): Promise<Uint8Array> {
  const name = bundlesName(payload)
  if (name === undefined) throw invalid('--seal', 'a payload whose key fits into a name', 'a longer one')
  const signingKey = await readKey(path)
  try {
    return (await sealSet(evidence.bundles, { signingKey, name })).message
  } finally {
    signingKey.fill(0)
  }
}

/** Writes it, and says what it shows. */
async function written(
  out: string,
  making: AsyncGenerator<Uint8Array, PackVerdict>,
  session: Session,
): Promise<PackVerdict> {
  let bytes = 0
  const pieces = new Outcome(making, ({ length }) => {
    bytes += length
  })
  const progress = new ProgressLine(session, () => shown`${count(bytes)} bytes`)
  progress.begin()
  try {
    await writeNew('--out', out, pieces)
  } finally {
    progress.end()
  }
  return pieces.result
}

async function tell(
  out: string,
  { lines, bundles, whole }: PackVerdict,
  { out: output }: Session,
): Promise<void> {
  const { verified, refused, unknown } = lines.messages
  const sum = shown`${counted(verified, 'message')} with ${counted(bundles, 'bundle')}`
  await output.line(shown`${green('✓')} ${bold(out)}: ${sum}`)
  if (refused > 0) await output.line(shown`${red('✗')} ${counted(refused, 'message')} refused`)
  if (unknown > 0) await output.line(shown`${yellow('?')} ${counted(unknown, 'message')} of unknown signers`)
  if (whole.missing > 0) await output.line(shown`${red('✗')} ${count(whole.missing)} missing`)
  else if (whole.by === 'nothing') await output.line(shown`  nothing in it shows that these are all`)
}

function exitFor({ lines, whole }: PackVerdict) {
  const sum = (name: 'refused' | 'unknown') => Object.values(lines).reduce((all, one) => all + one[name], 0)
  if (sum('refused') > 0 || whole.missing > 0) return EXIT.no
  return sum('unknown') > 0 || lines.messages.verified === 0 ? EXIT.unknown : EXIT.yes
}
