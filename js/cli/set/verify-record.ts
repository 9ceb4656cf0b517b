import { openManifest, type VerifiedManifest, verifyManifest, verifyRecord } from 'alvarium-sdk/sets'
import { conflicts, expected } from '../../foundation/base/errors.js'
import { invalid } from '../fault.js'
import type { TrustedAt } from '../keys/trusted.js'
import type { Session } from '../session.js'
import { safeText } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import { askedPayload } from './asked.js'
import { messageIn, piecesOf, saltIn } from './files.js'
import { assertSalted } from './manifests.js'
import type { SetReport, SetVerifyOptions } from './report.js'

/**
 * Verifies a manifest, and a proof about one of its records.
 *
 * @param head - leading bytes of the manifest file
 */
export async function foundByManifest(
  [file = '', proof, payload = '']: readonly string[],
  head: Uint8Array,
  options: SetVerifyOptions,
  trust: TrustedAt,
  session: Session,
): Promise<SetReport[]> {
  for (const name of ['list', 'before', 'update'] as const) {
    if (options[name] !== undefined) throw conflicts(`--${name}`, 'a manifest')
  }
  const { manifest, isWhole } = await manifestIn(file, head, options, trust, session)
  const found = [ofManifest(manifest, isWhole)]
  if (proof === undefined) return found
  if (options.salt === undefined) assertSalted(manifest, undefined)
  const requestedPayload = await askedPayload(payload, options, session)
  const { number } = verifyRecord(manifest, await messageIn(proof, session), requestedPayload.item)
  const { record } = options
  if (record !== undefined && number !== record) {
    throw expected(
      'PROOF_INVALID',
      'proof.index',
      `${record - 1}, the index of --record ${record}`,
      `${number - 1}`,
    )
  }
  const row = safeText`member: the payload is record ${number} of the manifest`
  return [...found, { words: ['member'], row, json: { payload: 'member', number } }]
}

/** Verifies a manifest. Without payload keys after the message, it verifies only the message. */
async function manifestIn(
  file: string,
  head: Uint8Array,
  options: SetVerifyOptions,
  { keyring, receivedAt }: TrustedAt,
  session: Session,
): Promise<{ readonly manifest: VerifiedManifest; readonly isWhole: boolean }> {
  const trusting = { keyring, receivedAt, salt: await saltIn(options.salt) }
  const end = head.indexOf(0x0a)
  const isWhole = end >= 0 && head.length > end + 1
  if (!isWhole) return { manifest: await verifyManifest(head, trusting), isWhole }
  if (file === '-') throw invalid('set', 'a file with a whole manifest', 'standard input')
  const { statement } = await openManifest(piecesOf(file, session), { ...trusting, maxRecords: 2 ** 32 })
  return { manifest: statement, isWhole }
}

function ofManifest(manifest: VerifiedManifest, isWhole: boolean): SetReport {
  const { name, size, signer, timestamp, id, root, host } = manifest
  const signedBy = manifest.signedBy?.name
  const keys = isWhole ? 'with all of its keys' : 'its message alone'
  const summary = `${countOf(size, 'record')}, ${keys}`
  return {
    words: ['verified'],
    row: safeText`verified: manifest ${name || '(no name)'}: ${summary}, sealed by ${signedBy ?? signer} at ${timestamp}`,
    json: {
      verified: true,
      outcome: 'holds',
      name,
      size,
      isWhole,
      signer,
      signedBy,
      timestamp,
      host,
      id,
      root,
    },
  }
}
