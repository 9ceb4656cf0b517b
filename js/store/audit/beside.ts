import { toHex } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, isVerdict } from '../../foundation/base/errors.js'
import { KINDS, kindOf, signedOf, verifyBeside } from '../beside.js'
import { bytesIn, numberIfAny, numberIn } from '../columns.js'
import type { Row } from '../connection.js'
import { pagedIn } from '../paged.js'
import { sha256 } from '../payload-name.js'
import type { MessageAudit } from './evidence.js'

/** Rows of a page: a checkpoint can have 2 MiB. */
const TOGETHER = 16

/**
 * Verifies the stored leases and checkpoints of signers again.
 *
 * @returns how many messages
 */
export async function auditBeside(audit: MessageAudit): Promise<number> {
  let count = 0
  for await (const rows of pagedIn(audit.session, SOME, TOGETHER)) {
    for (const row of rows) await auditOne(row, audit)
    count += rows.length
  }
  return count
}

const SOME = `
  select seq::text as seq, kind, signer, key, received, identity, digest, message from alvarium.beside
  where seq > $1::text::bigint order by beside.seq limit $2::integer`

async function auditOne(row: Row, { findings, untrusted, reading }: MessageAudit): Promise<void> {
  const [message, place] = [bytesIn(row, 'message'), { table: 'beside', row: String(row['seq']) } as const]
  const kind = kindOf(message)
  findings.compare({ ...place, what: 'digest' }, toHex(sha256(message)), toHex(bytesIn(row, 'digest')))
  findings.compare({ ...place, what: 'kind' }, kind ?? KINDS.join(' or '), KINDS[numberIn(row, 'kind')])
  if (kind === undefined) return
  try {
    const { identity, ...signed } = await signedOf(message, kind)
    findings.compare({ ...place, what: 'identity' }, toHex(identity), toHex(bytesIn(row, 'identity')))
    findings.compare({ ...place, what: 'key' }, signed.key, toHex(bytesIn(row, 'key')))
    const evidence = { message, receivedAt: numberIfAny(row, 'received') }
    const outcome = await verifyBeside(evidence, kind, reading)
    // Keys without a policy have no leases.
    const { signer } = typeof outcome === 'string' || outcome instanceof AlvariumError ? signed : outcome
    if (outcome instanceof AlvariumError && outcome.code === 'SIGNER_UNKNOWN') {
      untrusted.add('SIGNER_UNKNOWN', signer)
      return
    }
    findings.compare({ ...place, what: 'signer' }, signer, toHex(bytesIn(row, 'signer')))
    if (outcome instanceof AlvariumError) throw outcome
  } catch (error) {
    if (!isVerdict(error)) throw error
    findings.add({ ...place, what: 'message', expected: 'one that verifies', got: error.message })
  }
}
