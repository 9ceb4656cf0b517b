import * as v from 'valibot'
import { ACTIONS, HASHES } from '../../foundation/model/bundle.js'

// A message that did not verify still names its payload. A report shows that as a claim: an altered message
// would otherwise be missing from it without a trace.

const claim = v.object({ key: v.string(), hash: v.picklist(HASHES), host: v.string(), timestamp: v.string() })
const action = v.picklist(ACTIONS)

const single = v.object({ action, content: v.object({ signer: v.string(), ...claim.entries }) })
const batch = v.object({
  content: v.object({
    signer: v.string(),
    bundles: v.array(v.object({ action, ...claim.entries })),
  }),
})

/** Claims of a bundle, none of which are verified. */
export interface ClaimedBundle extends v.InferOutput<typeof claim> {
  readonly action: string
  readonly signer: string
}

/** Returns the claims of a JSON message that did not verify. */
export function claimedIn(message: Uint8Array): ClaimedBundle[] {
  const said = jsonIn(message)
  const many = v.safeParse(batch, said)
  if (many.success) {
    const { signer, bundles } = many.output.content
    return bundles.map((bundle) => ({ ...bundle, signer }))
  }
  const one = v.safeParse(single, said)
  return one.success ? [{ ...one.output.content, action: one.output.action }] : []
}

function jsonIn(message: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(message))
  } catch {
    return undefined
  }
}
