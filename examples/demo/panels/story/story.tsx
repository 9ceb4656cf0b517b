import { annotate, isBusy, made } from '../../state/making.ts'
import { hasBroker } from '../../state/place.ts'
import { start } from '../../state/start.ts'
import { verdictCounts } from '../../state/verdicts.ts'
import { Button } from '../../ui/controls.tsx'
import { count } from '../../ui/text.ts'

/** The one minute at the top: what this is, for somebody who has never heard of it. */
export function Story() {
  return (
    <section class="story" aria-labelledby="story-title">
      <h1 id="story-title">How far can you trust this data?</h1>
      <p class="story-lead">
        A reading passes through sensors, gateways and services before anybody acts on it. With Alvarium, each
        of them signs what it knows about the data. Whoever uses it checks the signatures, and decides with
        evidence.
      </p>
      <div class="story-actions">
        <Button kind="primary" isDisabled={!start.value.isReady || isBusy.value} onClick={makeFirst}>
          Sign a sample reading
        </Button>
        <Tally />
      </div>
      <ol class="story-steps">
        <li>
          <h2>Say what you know</h2>
          <p>
            Small checks answer yes or no: did this host handle it, did it come over TLS, is the value
            plausible? Add your own below.
          </p>
        </li>
        <li>
          <h2>Sign it, once</h2>
          <p>
            The payload is hashed and all answers are signed together with Ed25519, in some tens of
            microseconds, in WebAssembly, in this tab.
          </p>
        </li>
        <li>
          <h2>Let anybody verify</h2>
          <p>
            The signed message travels {hasBroker ? 'over a broker' : 'to another worker'}; the payload stays
            here. One flipped bit anywhere, and the verifier says which check failed.
          </p>
        </li>
      </ol>
    </section>
  )
}

async function makeFirst(): Promise<void> {
  await annotate('create')
  document.getElementById('flow')?.scrollIntoView({ block: 'start' })
}

function Tally() {
  const { verified, rejected } = verdictCounts.value
  return (
    <dl class="tally">
      <Figure name="signed" value={made.value.accepted} />
      <Figure name="verified" value={verified} />
      <Figure name="rejected" value={rejected} />
    </dl>
  )
}

function Figure({ name, value }: { readonly name: string; readonly value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{count(value)}</dd>
    </div>
  )
}
