import type { PolicySigner } from 'alvarium-sdk/trust'
import { needs } from '../../foundation/base/errors.js'
import { invalid } from '../fault.js'
import { EXIT, type Run } from '../session.js'
import { tellDifference } from './difference.js'
import { keyTextIn } from './key-text.js'
import { PolicyFile } from './policy-file.js'

interface AddOptions {
  readonly trust?: string
  readonly key?: readonly string[]
  readonly host?: readonly string[]
  readonly layer?: PolicySigner['layers']
  readonly action?: PolicySigner['actions']
  readonly kind?: readonly string[]
  readonly tag?: readonly string[]
  readonly set?: readonly string[]
  readonly confirms?: boolean
  readonly from?: string
  readonly until?: string
  readonly dryRun?: boolean
}

export const run: Run<AddOptions> = async ([name = ''], options, { out }) => {
  const { trust, key = [], dryRun } = options
  const file = await PolicyFile.open(trust, true)
  if (key.length === 0) throw needs('--key', 'the file of a public key of the signer')
  const { signers } = file.policy
  if (signers.some((one) => one.name === name)) {
    throw invalid(
      'name',
      'a signer that is new',
      `${name}, which exists: alvarium trust rotate gives it a new public key`,
    )
  }
  const signer = signerOf(name, await Promise.all(key.map(keyTextIn)), options)
  const edits = [{ path: ['signers', signers.length], value: signer }]
  await tellDifference(await file.edit(edits, dryRun), out)
  return EXIT.yes
}

/** Returns a signer without the lists that were not given, because an empty list would permit nothing. */
function signerOf(name: string, keys: readonly string[], options: AddOptions): PolicySigner {
  const { host, layer, action, kind, tag, set, confirms, from, until } = options
  const lists = { hosts: host, layers: layer, actions: action, kinds: kind, tags: tag, sets: set }
  const given = Object.entries({ ...lists, confirms, from, until }).filter(([, value]) => value !== undefined)
  return { name, keys, ...Object.fromEntries(given) }
}
