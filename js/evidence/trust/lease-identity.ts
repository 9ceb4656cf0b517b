import { join } from '../../foundation/base/bytes/join.js'
import { u32, u64, withLength } from '../../foundation/base/bytes/prefixed.js'
import type { LogState } from '../../signing/keys/leased-key.js'
import type { LeaseMembers } from './lease.js'

/** Prefix of the signed bytes: nothing else that our keys sign begins with it. */
const DOMAIN = 'alvarium.Lease/1\n'

/**
 * Returns the identity bytes of a lease, which both signatures cover (FORMAT.md, lease/1). Every text follows its
 * length. Every list follows a byte that states whether it is present, and the number of its texts: different leases
 * never have the same bytes. Only the log follows the lists, if there is one.
 */
export function leaseIdentity(lease: LeaseMembers): Uint8Array {
  const { issuer, subject, name, serial, from, until } = lease
  const { hosts, layers, actions, kinds, tags, log } = lease
  const texts = [issuer, subject, name, serial, from, until].map(withLength)
  const lists = [hosts, layers, actions, kinds, tags].map(listed)
  return join([encoder.encode(DOMAIN), ...texts, ...lists, ...(log ? logged(log) : [])]).bytes
}

function logged({ run, size, root }: LogState): Uint8Array[] {
  return [withLength(run), u64(size), withLength(root)]
}

const encoder = new TextEncoder()

function listed(texts: readonly string[] | undefined): Uint8Array {
  if (!texts) return Uint8Array.of(0)
  return join([Uint8Array.of(1), u32(texts.length), ...texts.map(withLength)]).bytes
}
