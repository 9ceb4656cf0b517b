import type { Database } from '../database/database.js'
import { CHECKPOINT, LEASE } from '../ingest/control-messages.js'
import { groupsOf } from '../rows/groups.js'

export interface OwnedKey {
  /** Key ids of other signers that have also issued leases for the key. */
  readonly otherIssuers: readonly string[]
}

/**
 * Returns the public keys that count for a signer, by key id: the signer's own, and leased ones. If several
 * issuers leased a key, it counts for one of them. Issuers under whose lease a checkpoint was accepted come
 * first (FORMAT.md, Verdict), and then the lowest key id decides.
 */
export async function ownedKeys(database: Database, signer: string): Promise<Map<string, OwnedKey>> {
  const rows = await database.read((session) => session.query(ISSUERS, [signer]))
  const issuersOf = groupsOf(rows.map((row) => [String(row['key']), String(row['issuer'])] as const))
  const owned = new Map<string, OwnedKey>()
  for (const [key, issuers] of issuersOf) {
    const otherIssuers = [...new Set(issuers)].filter((issuer) => issuer !== signer)
    if (issuers[0] === signer) owned.set(key, { otherIssuers })
  }
  if (!issuersOf.has(signer)) owned.set(signer, { otherIssuers: [] })
  return owned
}

/**
 * Selects the keys of a signer with their issuers. Issuers for whom a checkpoint was accepted come first.
 * Leases for the signer's own key are left out: without an accepted checkpoint it counts for the signer.
 */
const ISSUERS = `
  select encode(own.key, 'hex') as key, encode(given.signer, 'hex') as issuer
  from (
    select key from alvarium.beside where kind in (${LEASE}, ${CHECKPOINT}) and signer = decode($1::text, 'hex')
    union select decode($1::text, 'hex')
  ) as own cross join lateral (
    select distinct kind, signer from alvarium.beside
    where kind in (${LEASE}, ${CHECKPOINT}) and beside.key = own.key
      and (kind = ${CHECKPOINT} or own.key <> decode($1::text, 'hex'))
  ) as given
  order by own.key, given.kind = ${CHECKPOINT} desc, given.signer`
