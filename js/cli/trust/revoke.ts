import type { KeyEntry, PolicyKey, Revocation } from 'alvarium-sdk/trust'
import { keyIdOf } from 'alvarium-sdk/verify'
import { invalid } from '../fault.js'
import { EXIT, type Run } from '../session.js'
import { tellDifference } from './difference.js'
import { type Edit, PolicyFile } from './policy-file.js'
import { inSeconds } from './rotate.js'

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
  const revoked: Revocation = { since, ...(why !== undefined && { why }) }
  const edit: Edit =
    keyId === undefined
      ? { path: ['signers', at, 'revoked'], value: revoked }
      : revokedKey(signer.keys, keyId, revoked, ['signers', at, 'keys'])
  await tellDifference(await file.edit([edit], { isDry }), out)
  return EXIT.yes
}

function revokedKey(
  keys: readonly (PolicyKey | KeyEntry)[],
  keyId: string,
  revoked: Revocation,
  path: Edit['path'],
): Edit {
  const entries = keys.map((one): KeyEntry => (typeof one === 'object' && 'key' in one ? one : { key: one }))
  const ids = entries.map(({ key }) => idOf(key))
  const at = ids.findIndex((id) => id.startsWith(keyId))
  if (at < 0 || keyId === '')
    throw invalid('--key-id', `one of ${ids.join(', ')}, or its first digits`, keyId)
  return { path: [...path, at], value: { ...entries[at], revoked } }
}

function idOf(key: PolicyKey): string {
  return typeof key === 'object' && 'keyId' in key ? key.keyId : keyIdOf(key)
}
