import type { Input } from '../../../foundation/model/bundle.js'
import { inputsOf } from '../../../foundation/model/bundle.js'
import type { PayloadName } from '../../../verifying/score/payload-name.js'
import type { VerifiedBundle } from '../../../verifying/verify/options.js'
import { PREDICATE, payloadDigest, SETS } from './names.js'

/** Media type of an in-toto statement. The signature of the envelope covers the media type. */
export const STATEMENT_TYPE = 'application/vnd.in-toto+json'

export const STATEMENT = 'https://in-toto.io/Statement/v1'
/** Maximum number of listed inputs, because tools refuse longer statements. The bundle id covers all inputs. */
const MAX_INPUTS = 1_024

/**
 * Encodes a bundle as an in-toto statement (in-toto, spec/v1/statement.md; FORMAT.md, Exports).
 *
 * @param name - name of the subject. The default `_` has no meaning (statement.md, subject)
 */
export function statementBytes(bundle: VerifiedBundle, name = '_'): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(statementOf(bundle, name)))
}

function statementOf(bundle: VerifiedBundle, name: string) {
  const { action, id, signer, signedBy, hash, host, layer, timestamp, annotations } = bundle
  const inputs = inputsOf(bundle)
  return {
    _type: STATEMENT,
    subject: [{ name, digest: digestSet(bundle) }],
    predicateType: PREDICATE,
    predicate: {
      action,
      id,
      signer,
      signerName: signedBy?.name,
      hash,
      host,
      layer,
      timestamp,
      madeFromCount: inputs.length,
      madeFrom: inputs.length > MAX_INPUTS ? undefined : inputs.map(resourceOf),
      annotations: annotations.map(({ id, kind, tag, isSatisfied }) => ({ id, kind, tag, isSatisfied })),
    },
  }
}

function resourceOf(input: Input) {
  return 'set' in input ? { uri: SETS + input.set } : { digest: digestSet(input) }
}

function digestSet(payload: PayloadName) {
  const { hash, digest } = payloadDigest(payload)
  return { [hash]: digest }
}
