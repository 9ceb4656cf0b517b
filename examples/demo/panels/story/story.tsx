import { journeys, OPENING, sendAnother } from '../../state/journey.ts'
import { start } from '../../state/start.ts'
import { tally } from '../../state/tally.ts'
import { Button } from '../../ui/controls.tsx'
import { count } from '../../ui/text.ts'
import { Tampering } from './tampering.tsx'
import { Way } from './way.tsx'

/** Introduces the SDK to newcomers: a reading in transit, and the effect of an alteration. */
export function Story() {
  return (
    <section class="story" id="story" aria-labelledby="story-title">
      <h1 id="story-title">How far can you trust this data?</h1>
      <p class="story-lead">
        A reading passes many hands before anyone acts on it. With Alvarium, each of them signs what it knows.
        Alter anything in transit, and the receiver notices.
      </p>
      {start.value.trouble === undefined && (
        <>
          <Way />
          <Tampering />
          <div class="story-foot">
            <p class="quiet small">
              Real signatures:{' '}
              {journeys.value.length < OPENING ? 'three readings are being' : 'three readings were'} signed as
              this page opened, with three signing keys made for it, and verified by a worker that has only
              the public keys. <Another />
            </p>
            <Tally />
          </div>
        </>
      )}
    </section>
  )
}

function Another() {
  return (
    <Button kind="quiet" isDisabled={journeys.value.length < OPENING} onClick={sendAnother}>
      Send another reading
    </Button>
  )
}

function Tally() {
  const { signed, verified, rejected } = tally.value
  return (
    <dl class="tally">
      <Figure name="signed" value={signed} />
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
