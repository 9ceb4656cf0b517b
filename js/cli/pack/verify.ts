import { type VerifiedPack, type VerifyPackOptions, verifyPack } from 'alvarium-sdk/packs'
import { MAX_PACK_BYTES } from '../../evidence/packs/file/zip.js'
import { conflicts } from '../../foundation/base/errors.js'
import { readShareOf } from '../input/read-share.js'
import { countBytes, sourceOf } from '../input/source.js'
import { timeIn } from '../input/time.js'
import { type StoredOptions, trustedAt } from '../keys/trusted.js'
import { EXIT, type ExitCode, exitOf, type Run, type Session } from '../session.js'
import { showProgress } from '../terminal/progress.js'
import { safeText } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import { signedLater } from '../verify/received.js'
import { witnessesIn } from '../witness/witnesses-file.js'
import { scoreIn } from './policies.js'
import { jsonOf, listRows, packRows, unreadPack, unreadRows } from './report.js'

interface VerifyOptions extends StoredOptions {
  readonly score?: string
  readonly json?: boolean
  readonly list?: boolean
  readonly itself?: boolean
  readonly witnesses?: string
}

/** Value of `maxStatements` for `--list`, the largest that is allowed. */
const ALL_STATEMENTS = 10_000_000

export const run: Run<VerifyOptions> = async ([path = ''], options, session) => {
  const { json = false, list = false } = options
  const verifying = await verifyingBy(options, session)
  const maxStatements = list ? ALL_STATEMENTS : undefined
  session.begin()
  return judgePack(
    () => verifyFile(path, { ...verifying, maxStatements }, session),
    async (pack) => {
      if (json) return session.out.json(jsonOf(pack))
      if (list) await session.out.lines(listRows(pack))
      await session.out.lines(packRows(pack))
    },
    json,
    session,
  )
}

async function verifyingBy(options: VerifyOptions, session: Session): Promise<VerifyPackOptions> {
  const { key, trust, itself = false } = options
  const isOwn = key !== undefined || trust !== undefined
  if (itself && isOwn)
    throw conflicts('--itself', '--key or --trust, because --itself uses no public keys of yours')
  // Parse the time of receipt even without keys, because the policy in the pack may use it.
  const trusted = isOwn
    ? await trustedAt(options, session.err)
    : { itself, receivedAt: timeIn('--received-at', options.receivedAt)?.ms }
  return { ...trusted, ...(await witnessesIn(options.witnesses)), score: await scoreIn(options.score) }
}

export async function judgePack(
  verify: () => Promise<VerifiedPack>,
  tell: (pack: VerifiedPack) => Promise<void>,
  isJson: boolean,
  session: Session,
): Promise<ExitCode> {
  try {
    const pack = await verify()
    if (session.interrupted.aborted) return EXIT.interrupted
    await tell(pack)
    return exitOf(pack.outcome)
  } catch (error) {
    const unread = unreadPack(error)
    if (!unread || session.interrupted.aborted) throw error
    await session.out.show(isJson, unread, () => unreadRows(unread))
    return exitOf(unread.outcome)
  }
}

export async function verifyFile(
  path: string,
  options: VerifyPackOptions,
  session: Session,
): Promise<VerifiedPack> {
  const share = await readShareOf([path])
  let read = 0
  const line = () => share.before(safeText`${countOf(read, 'byte')} verified`)
  const onProgress = ({ bytes }: { readonly bytes: number }) => {
    read = bytes
  }
  const pack = countBytes(sourceOf(path, session.input), share.addBytes).bytes()
  const verifying = { ...options, maxBytes: MAX_PACK_BYTES, onProgress }
  return asReceived(await showProgress(session, line, () => verifyPack(pack, verifying)), options)
}

/** Changes the outcome `'holds'` to `'cannot tell'` if a statement was signed after `--received-at`. */
function asReceived(pack: VerifiedPack, { receivedAt }: VerifyPackOptions): VerifiedPack {
  const later = signedLater(
    receivedAt?.valueOf(),
    pack.signers.map(({ until }) => ({ timestamp: until })),
  )
  if (!later || pack.outcome === 'does not hold') return pack
  return {
    ...pack,
    outcome: 'cannot tell',
    needs: `Give the time at which you got the pack. ${later.message}.`,
  }
}
