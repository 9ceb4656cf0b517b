/** Verdicts on evidence packs. Loaded only for packs. */

import { type VerifiedPack, verifyPack } from 'alvarium-sdk/packs'
import { percentOf } from 'alvarium-sdk/score'
import { counted } from '../ui/text.ts'
import type { By, CheckResult } from './checked.ts'

/**
 * Verifies an evidence pack.
 *
 * @param keyring - the visitor's keys, if any
 * @throws AlvariumError as `verifyPack` does
 */
export async function packIn(pack: Blob, keyring: By['keyring'] | undefined): Promise<CheckResult> {
  const found = await verifyPack(pack, { keyring })
  const lacksKeys = found.trustedBy === 'pack' && found.outcome === 'cannot tell'
  return {
    bundles: [],
    answers: [],
    outcome: found.outcome,
    says: found.says,
    lacksKeys,
    needs: lacksKeys
      ? 'It needs the public keys of those whom you trust, or your trust policy.'
      : found.needs,
    facts: factsOf(found),
  }
}

/** Returns the three facts that the page for evidence packs (examples/pack-page) shows, too. */
function factsOf({ verdict, trustedBy }: VerifiedPack) {
  const { verified, refused, unknownSigner } = verdict.lines.messages
  const { word, missing } = verdict.whole
  const all = verified + refused + unknownSigner
  const by = trustedBy === 'reader' ? '' : ', if you trust its signer'
  const whole = word === 'not shown' ? 'not proven' : `${word}${by}`
  return [
    ['Signatures', `${verified} of ${counted(all, 'message')}`],
    ['payload' in verdict.about ? 'Score' : 'Lowest score', scoreIn(verdict)],
    ['Completeness', missing > 0 ? `${whole}, ${missing} missing` : whole],
  ] as const
}

function scoreIn({ score }: VerifiedPack['verdict']): string {
  return score === 'unknown' ? score : `${Math.floor(percentOf(score))} %`
}
