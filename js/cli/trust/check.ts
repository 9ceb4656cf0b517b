import { existsSync } from 'node:fs'
// Import this entry point, because it loads the core that the internal modules below need.
import { AlvariumError } from 'alvarium-sdk/verify'
import type { ReadSigner, ReadValidity } from '../../evidence/trust/policy/policy-schema.js'
import { readSource, readText } from '../../evidence/trust/policy/policy-source.js'
import { readPolicy } from '../../evidence/trust/policy/read-policy.js'
import { shownPath } from '../../foundation/base/text/text.js'
import { asUnreadable } from '../fault.js'
import { exitOf, type Run } from '../session.js'
import { MARKS } from '../terminal/outcome.js'
import { bold, dim, type SafeText, safeText, yellow } from '../terminal/safe-text.js'
import { joinFirst, noteSkipped } from './notes.js'

type PolicyCheck =
  | {
      readonly outcome: 'holds'
      readonly signers: readonly ReadSigner[]
      readonly skippedKeys: readonly string[]
    }
  | { readonly outcome: 'does not hold' | 'cannot tell'; readonly error: AlvariumError }

export const run: Run<{ readonly json?: boolean }> = async ([file = ''], { json }, { out, err }) => {
  const checked = await check(file)
  await out.show(json, checkJson(checked), () => policyRows(file, checked))
  if ('signers' in checked) await noteSkipped(file, checked.skippedKeys, err)
  return exitOf(checked.outcome)
}

async function check(file: string): Promise<PolicyCheck> {
  try {
    const text = await readText(file)
    const { policy: rawPolicy, skippedKeys } = await readSource(`${text}\n`)
    const { policy, keyring } = await readPolicy(rawPolicy)
    keyring.close()
    return { outcome: 'holds', signers: policy.signers, skippedKeys }
  } catch (error) {
    if (!(error instanceof AlvariumError)) throw error
    return { outcome: existsSync(file) ? 'does not hold' : 'cannot tell', error: asUnreadable(error) }
  }
}

function checkJson(checked: PolicyCheck): object {
  if (!('error' in checked))
    return { works: true, signers: checked.signers.map(jsonOf), skippedKeys: checked.skippedKeys }
  const { code, message } = checked.error
  return { works: false, code, faults: message.split('\n') }
}

function policyRows(file: string, checked: PolicyCheck): SafeText[] {
  if ('error' in checked) {
    const { code, message } = checked.error
    return [
      safeText`${MARKS[checked.outcome]} ${shownPath(file)}  ${code}`,
      ...message.split('\n').map((fault) => safeText`    ${fault}`),
    ]
  }
  return [safeText`${MARKS.holds} ${file} works`, ...checked.signers.flatMap(signerRows)]
}

function signerRows(signer: ReadSigner): SafeText[] {
  const { name, keys, hosts, layers, actions, kinds, tags, sets, confirms } = signer
  const lists = Object.entries({ hosts, layers, actions, kinds, tags, sets })
  return [
    safeText`  ${bold(name)}${timesOf(signer)}`,
    ...keys.map((key) => safeText`    key ${key.id}${timesOf(key)}`),
    ...lists.flatMap(([list, texts]) =>
      texts ? [safeText`    ${list}: ${joinFirst(texts) || 'none'}`] : [],
    ),
    ...(confirms ? [safeText`    confirms that packs have all bundles about a payload`] : []),
  ]
}

function timesOf({ from, until, revoked }: ReadValidity): SafeText {
  const times = safeText`${dim(from ? ` from ${from.text}` : '')}${dim(until ? ` until ${until.text}` : '')}`
  if (!revoked) return times
  const why = revoked.why === undefined ? '' : `: ${revoked.why}`
  return safeText`${times} ${yellow(`revoked since ${revoked.since.text}${why}`)}`
}

function jsonOf({ keys, ...signer }: ReadSigner): object {
  return { ...signer, ...timesJson(signer), keys: keys.map((key) => ({ id: key.id, ...timesJson(key) })) }
}

function timesJson({ from, until, revoked }: ReadValidity): object {
  return {
    from: from?.text,
    until: until?.text,
    revoked: revoked && { since: revoked.since.text, why: revoked.why },
  }
}
