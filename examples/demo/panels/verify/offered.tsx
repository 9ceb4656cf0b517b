import { trustBy, trustKey } from '../../state/editing.ts'
import { type Offer, offer } from '../../state/offer.ts'
import { isEmpty, loaded } from '../../state/tool.ts'
import { Button } from '../../ui/controls.tsx'
import { short } from '../../ui/text.ts'
import { ThreeSamples } from './samples.tsx'

/** Describes an input that is not a single message, and offers actions, if there are any. */
export function OfferPanel() {
  const { value } = offer
  if (!value) return null
  const Kind = KINDS[value.is]
  return (
    <div class="offered" role="status">
      <Kind {...value} />
    </div>
  )
}

const KINDS = { key: Key, policy: Policy, lease: Lease, other: OtherKind, lines: Lines } as const

function Key({ name, text }: Offer) {
  return (
    <>
      <p>
        <strong>Trust this key?</strong> {name} is a public key: <code>{short(text.trim(), 12)}</code>. Trust
        it only if its owner gave it to you.
      </p>
      <Accept label="Trust this key" onAccept={() => trustKey(text)} />
    </>
  )
}

function Policy({ name, text }: Offer) {
  return (
    <>
      <p>
        <strong>Trust by this policy?</strong> {name} is a trust policy. It says who may sign what, and takes
        the place of the keys below.
      </p>
      <Accept label="Trust by this policy" onAccept={() => trustBy(text)} />
    </>
  )
}

function Lease({ name, text }: Offer) {
  return (
    <>
      <p>
        <strong>Take this lease?</strong> {name} is a lease{spanOf(text)}: it permits another key for some
        time. It counts with a trust policy whose signer issued it.
      </p>
      <Accept label="Take this lease" onAccept={() => trustBy(text)} />
    </>
  )
}

/** Returns the end that a lease states, without verifying it. Leases have only one format. */
function spanOf(text: string): string {
  const [, until] = /"until":"([\d-]{10}T[\d:]{8})/.exec(text) ?? []
  return until === undefined ? '' : `, until ${until.replace('T', ' ')}`
}

function OtherKind({ name, text }: Offer) {
  return (
    <>
      <p>
        <strong>Not an Alvarium message.</strong> {name} is {text}.{' '}
        {isEmpty.value
          ? 'Try one of these:'
          : `Below is still ${loaded.value.name}. Go on with it, or try one of these:`}
      </p>
      <ThreeSamples />
    </>
  )
}

function Lines({ name, text }: Offer) {
  return (
    <p>
      {name} has {text} messages, one on each line. The first is shown. <code>alvarium verify</code> verifies
      all.
    </p>
  )
}

function Accept({ label, onAccept }: { readonly label: string; readonly onAccept: () => void }) {
  const close = () => {
    offer.value = undefined
  }
  return (
    <div class="row">
      <Button
        kind="primary"
        onClick={() => {
          onAccept()
          close()
        }}
      >
        {label}
      </Button>
      <Button onClick={close}>No</Button>
    </div>
  )
}
