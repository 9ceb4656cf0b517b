import type { KeyEntry, PolicyKey, PolicySigner, Revocation } from 'alvarium-sdk/trust'
import { keyIdOf } from 'alvarium-sdk/verify'
import { invalid, named } from '../fault.js'
import { EXIT, type Run } from '../session.js'
import { shown } from '../terminal/shown.js'
import { tellDifference } from './difference.js'
import { someOf } from './listed.js'
import { type Edit, PolicyFile } from './policy-file.js'
import { entryOf, inSeconds, isBy } from './rotate.js'

/** What `alvarium trust revoke` can be asked for. */
interface RevokeOptions {
  readonly trust?: string
  readonly keyId?: string
  readonly since?: string
  readonly why?: string
  readonly dryRun?: boolean
}

export const run: Run<RevokeOptions> = async ([name = ''], options, { out }) => {
  const { trust, keyId, since = inSeconds(Date.now()), why, dryRun: isDry = false } = options
  const file = await PolicyFile.open(trust)
  const { at, signer } = file.signer(name)
  const { path, value } = keyId === undefined ? { path: [], value: signer } : keyIn(signer, keyId)
  // Later than before, it would have what came in between accepted again.
  if (value.revoked && isBy(value.revoked.since, since)) {
    await out.line(shown`nothing has changed: it is revoked since ${value.revoked.since} already`)
    return EXIT.yes
  }
  const revoked: Revocation = { ...value.revoked, since, ...(why !== undefined && { why }) }
  const edit =
    path.length > 0 ? { path, value: { ...value, revoked } } : { path: ['revoked'], value: revoked }
  await tellDifference(await file.edit([{ ...edit, path: ['signers', at, ...edit.path] }], { isDry }), out)
  return EXIT.yes
}

/** The one key whose id begins so, and where it is. */
function keyIn(
  { keys }: PolicySigner,
  keyId: string,
): { readonly path: Edit['path']; readonly value: KeyEntry } {
  const entries = keys.map(entryOf)
  const ids = entries.map(({ key }) => idOf(key))
  const found = ids.flatMap((id, at) => (id.startsWith(keyId) ? [at] : []))
  const [at, ...more] = found
  if (at === undefined || keyId === '') {
    throw invalid('--key-id', `one of ${someOf(ids)}, or its first digits`, named(keyId))
  }
  if (more.length === 0) return { path: ['keys', at], value: entries[at] as KeyEntry }
  throw invalid(
    '--key-id',
    'the first digits of one key id',
    `${keyId}, with which ${found.length} key ids begin`,
  )
}

function idOf(key: PolicyKey): string {
  return typeof key === 'object' && 'keyId' in key ? key.keyId : keyIdOf(key)
}
