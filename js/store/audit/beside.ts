import { toHex } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, isVerdict } from '../../foundation/base/errors.js'
import type { Row } from '../database/connection.js'
import { KINDS, kindOf, readSignedPart, verifyControl } from '../ingest/control-messages.js'
import { bytesIn, numberIn, optionalNumberIn } from '../rows/columns.js'
import { sha256 } from '../rows/payload-name.js'
import { readPagesIn } from '../rows/read-pages.js'
import type { MessageAudit } from './evidence.js'

/** Rows of a page: a checkpoint can have 2 MiB. */
const MESSAGES_PER_PAGE = 16

/**
 * Verifies the stored leases and checkpoints of signers again.
 *
 * @returns how many messages
 */
export async function auditControlMessages(audit: MessageAudit): Promise<number> {
  let count = 0
  for await (const rows of readPagesIn(audit.session, SELECT_MESSAGES, MESSAGES_PER_PAGE)) {
    for (const row of rows) await auditOne(row, audit)
    count += rows.length
  }
  return count
}

const SELECT_MESSAGES = `
  select seq::text as seq, kind, signer, key, received, identity, digest, message from alvarium.beside
  where seq > $1::text::bigint order by beside.seq limit $2::integer`

async function auditOne(row: Row, { findings, untrusted, settings }: MessageAudit): Promise<void> {
  const [message, place] = [bytesIn(row, 'message'), { table: 'beside', row: String(row['seq']) } as const]
  const kind = kindOf(message)
  findings.compare({ ...place, what: 'digest' }, toHex(sha256(message)), toHex(bytesIn(row, 'digest')))
  findings.compare({ ...place, what: 'kind' }, kind ?? KINDS.join(' or '), KINDS[numberIn(row, 'kind')])
  if (kind === undefined) return
  try {
    const { identity, ...signed } = await readSignedPart(message, kind)
    findings.compare({ ...place, what: 'identity' }, toHex(identity), toHex(bytesIn(row, 'identity')))
    findings.compare({ ...place, what: 'key' }, signed.key, toHex(bytesIn(row, 'key')))
    const evidence = { message, receivedAt: optionalNumberIn(row, 'received') }
    const outcome = await verifyControl(evidence, kind, settings)
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
