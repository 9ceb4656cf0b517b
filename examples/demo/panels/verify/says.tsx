import type { SignedBy, VerifiedBundle } from 'alvarium-sdk'
import type { ClassicAnswer } from '../../inspection.ts'
import { payloadNameOf } from '../../state/payloads.ts'
import { signerNameOf } from '../../state/signers.ts'
import { inspection, isAltered } from '../../state/tool.ts'
import { Answer } from '../../ui/controls.tsx'
import { useRoom } from '../../ui/room.tsx'
import { count, short } from '../../ui/text.ts'

/** Maximum number of bundles shown of a batch. */
const MOST = 4

/** Shows a message's statements after its checks have passed: the signers, payloads and annotations. */
export function Says() {
  const box = useRoom(isAltered.value)
  const { bundles = [], answers = [] } = inspection.value ?? {}
  return (
    <div class="says" ref={box}>
      {bundles.slice(0, MOST).map((bundle) => (
        <Bundle key={bundle.id} bundle={bundle} />
      ))}
      {bundles.length > MOST && <p class="quiet small">and {count(bundles.length - MOST)} more bundles</p>}
      {answers.length > 0 && (
        <ul class="classic-answers">
          {answers.map((answer, n) => (
            <Classic key={n} answer={answer} number={n + 1} />
          ))}
        </ul>
      )}
    </div>
  )
}

function Bundle({ bundle }: { readonly bundle: VerifiedBundle }) {
  const { action, key, host, timestamp, signer, signedBy, annotations } = bundle
  const name = payloadNameOf(key)
  return (
    <div class="said">
      <p>
        <strong>{action}</strong> of {name !== undefined && <strong>{name}</strong>}{' '}
        <code title={key}>{name === undefined ? short(key) : short(key, 6)}</code>
      </p>
      <p class="answers">
        {annotations.map(({ id, kind, isSatisfied }) => (
          <Answer key={id} kind={kind} isSatisfied={isSatisfied} />
        ))}
      </p>
      <p class="quiet small">
        signed by <Signer id={signer} signedBy={signedBy} />
        {host && ` on ${host}`}, {timestamp.slice(0, 19).replace('T', ' ')}
      </p>
    </div>
  )
}

/** Shows a signer's name in the trust policy, if it has one, and the lease of its signature. */
function Signer({ id, signedBy }: { readonly id: string; readonly signedBy: SignedBy | undefined }) {
  const known = signerNameOf(id)
  if (!signedBy) {
    return (
      <>
        {known !== undefined && <strong>{known}</strong>} <code title={id}>{short(id, 6)}</code>
      </>
    )
  }
  const { name, lease } = signedBy
  return (
    <>
      <strong class="signer-name" title={id}>
        {name}
      </strong>
      {lease && (
        <span title={`serial ${lease.serial}`}>
          {` by lease ${lease.name || short(lease.serial, 6)}, until ${lease.until.slice(0, 19).replace('T', ' ')},`}
        </span>
      )}
    </>
  )
}

/** Shows an annotation of another SDK, and the result of verifying its separate signature. */
function Classic({ answer, number }: { readonly answer: ClassicAnswer; readonly number: number }) {
  if ('trouble' in answer) {
    return (
      <li class="said">
        <strong>
          {answer.trouble.code === 'SIGNER_UNKNOWN' ? '?' : '✗'} annotation {number}
        </strong>{' '}
        <code>{answer.trouble.code}</code>
      </li>
    )
  }
  return (
    <li class="said">
      <Answer kind={answer.kind} isSatisfied={answer.isSatisfied} />
      <span class="quiet small">
        signed by <Signer id={answer.signer} signedBy={answer.signedBy} />
      </span>
    </li>
  )
}
