import type { KeyEntry, PolicyKey, PolicySigner, Revocation } from 'alvarium-sdk/trust'
import { keyIdOf } from 'alvarium-sdk/verify'
import { invalid, pathText } from '../fault.js'
import { EXIT, type Run } from '../session.js'
import { dim, type SafeText, safeText } from '../terminal/safe-text.js'
import { tellDifference } from './difference.js'
import { joinFirst } from './notes.js'
import { type Edit, PolicyFile } from './policy-file.js'
import { entryOf, inSeconds, isBy } from './rotate.js'

interface RevokeOptions {
  readonly trust?: string
  readonly keyId?: string
  readonly since?: string
  readonly why?: string
  readonly dryRun?: boolean
}

export const run: Run<RevokeOptions> = async ([name = ''], options, { out, err }) => {
  const { trust, keyId, since = inSeconds(Date.now()), why, dryRun } = options
  const file = await PolicyFile.open(trust)
  const { at, signer } = file.signer(name)
  const { path, value } = keyId === undefined ? { path: [], value: signer } : keyIn(signer, keyId)
  // Keep an earlier revocation: a later time would again permit the messages received in the meantime.
  if (value.revoked && isBy(value.revoked.since, since)) {
    await out.line(safeText`nothing has changed: it is revoked since ${value.revoked.since} already`)
    return EXIT.yes
  }
  const revoked: Revocation = { ...value.revoked, since, ...(why !== undefined && { why }) }
  const edit =
    path.length > 0 ? { path, value: { ...value, revoked } } : { path: ['revoked'], value: revoked }
  await tellDifference(await file.edit([{ ...edit, path: ['signers', at, ...edit.path] }], dryRun), out)
  const signerArgument = keyId === undefined ? name : idOf((value as KeyEntry).key)
  await err.lines(nextSteps(signerArgument, since, trust ?? ''))
  return EXIT.yes
}

function nextSteps(signer: string, since: string, trust: string): SafeText[] {
  const [by, policy] = [quotedForShell(signer), quotedForShell(trust)]
  const steps = [
    ['what has come from it since?', `store find --signer ${by} --received-from ${since} --all -t ${policy}`],
    ['how far can a payload be trusted without it?', `store score PAYLOAD -t ${policy}`],
    ['what is known of it without?', `store about PAYLOAD -t ${policy}`],
    ['answers of a service by the new policy', `store serve -t ${policy}`],
    ['how much of all that is stored does it refuse?', `store audit --itself -t ${policy}`],
  ] as const
  return [
    dim('next, for each store (--database):'),
    ...steps.flatMap(([purpose, command]) => [safeText`  alvarium ${command}`, dim(`      ${purpose}`)]),
  ]
}

function quotedForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** Finds the only key with an id that begins with the given digits, and its path in the policy. */
function keyIn(
  { keys }: PolicySigner,
  keyId: string,
): { readonly path: Edit['path']; readonly value: KeyEntry } {
  const entries = keys.map(entryOf)
  const ids = entries.map(({ key }) => idOf(key))
  const found = ids.flatMap((id, at) => (id.startsWith(keyId) ? [at] : []))
  const [at, ...more] = found
  if (at === undefined || keyId === '') {
    throw invalid('--key-id', `one of ${joinFirst(ids)}, or its first digits`, pathText(keyId))
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
