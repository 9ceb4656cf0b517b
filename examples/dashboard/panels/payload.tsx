import { percentOf } from 'alvarium-sdk/score'
import { useState } from 'preact/hooks'
import { Answer, Problem } from '../../demo/ui/controls.tsx'
import { Empty, Panel } from '../../demo/ui/panel.tsx'
import { count, counted, short } from '../../demo/ui/text.ts'
import type { About, Bundle } from '../api.ts'
import { about, history, newest, payloadTrouble, pick, picked, verdict } from '../state.ts'
import { shownTime } from '../time.ts'

export function PayloadPanel() {
  return (
    <Panel
      id="payload"
      title="Payload"
      lead="What was said about it, and by whom. The store has verified all of it."
    >
      <Search />
      <Answered />
    </Panel>
  )
}

/** Shows the bundles that were stored last, about any payload. */
export function NewestPanel() {
  return (
    <Panel id="newest" title="Newest bundles" lead="Pick a payload key to see what was said about it.">
      <Bundles bundles={newest.value} isOfMany />
    </Panel>
  )
}

function Answered() {
  const { value: wrong } = payloadTrouble
  if (wrong) return <Problem code={wrong.code} message={wrong.message} />
  if (about.value) return <Known about={about.value} />
  if (picked.value) return <Empty title="Not known yet">The store is asked.</Empty>
  return <Empty title="No payload yet">Enter a payload key.</Empty>
}

/** Hexadecimal digits of a payload key, by its hash. */
const DIGITS: Readonly<Record<string, number>> = { sha256: 64, md5: 32 }

/** Returns a hint about the form of payload keys, if a text is not one. */
function mistakeIn(key: string, digits: number | undefined): string {
  if (digits === undefined || new RegExp(`^[0-9a-f]{${digits}}$`, 'i').test(key)) return ''
  return `Enter a payload key: ${digits} hexadecimal digits.`
}

function Search() {
  const [mistake, setMistake] = useState('')
  return (
    <form
      class="row search"
      onSubmit={(event) => {
        event.preventDefault()
        const given = new FormData(event.currentTarget)
        const [text, hash] = [String(given.get('key')), String(given.get('hash'))]
        // With hash `none`, the key is the payload itself, including white space.
        const key = hash === 'none' ? text : text.trim()
        const found = mistakeIn(key, DIGITS[hash])
        setMistake(found)
        if (found === '') pick({ key, hash })
      }}
    >
      <input
        name="key"
        aria-label="Payload key"
        value={picked.value?.key ?? ''}
        spellcheck={false}
        required
      />
      <select name="hash" aria-label="Hash" value={picked.value?.hash ?? 'sha256'}>
        {['sha256', 'md5', 'none'].map((hash) => (
          <option key={hash}>{hash}</option>
        ))}
      </select>
      <button type="submit" class="button primary">
        Look up
      </button>
      {mistake !== '' && (
        <p class="absent" role="alert">
          {mistake}
        </p>
      )}
    </form>
  )
}

function Known({ about: { answers, bundles, signers, hosts, key } }: { readonly about: About }) {
  const [yes, no] = [sum(answers.map((one) => one.yes)), sum(answers.map((one) => one.no))]
  if (bundles === 0) return <p class="absent">No bundle of this store is about {short(key)}.</p>
  return (
    <div class="known">
      <Score />
      <p>
        {count(yes)} of {count(yes + no)} annotations satisfied, in {counted(bundles, 'bundle')}
      </p>
      <ul class="kinds">
        {answers.map(({ kind, ...one }) => (
          <li key={kind}>
            <code>{kind}</code>
            <meter
              min={0}
              max={one.yes + one.no}
              value={one.yes}
              aria-label={`${kind}: ${one.yes} satisfied`}
            />
            <span class="numbers">
              <span class="yes">✓ {count(one.yes)}</span>{' '}
              {one.no > 0 && <span class="no">✗ {count(one.no)}</span>}
            </span>
          </li>
        ))}
      </ul>
      <p class="quiet small">
        Signed by {named(signers.map(({ signer }) => short(signer)))}, on{' '}
        {named(hosts.map(({ host }) => host))}.
      </p>
      <h3>Its bundles</h3>
      <Bundles bundles={history.value} />
    </div>
  )
}

/** Maximum number of names shown, so that the panel stays short. */
const MOST_NAMED = 10

function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`
}

/** Shows the payload's score by the store's policy, and the reasons that lower it. */
function Score() {
  const { value } = verdict
  if (!value) return null
  const { score, why } = value
  const [worst] = why.ancestors
  const isHeldDown = worst !== undefined && worst.score < why.own
  return (
    <p>
      Score{' '}
      <b class={score === 'unknown' ? 'share unsure' : 'share'}>
        {score === 'unknown' ? '? unknown' : percent(score)}
      </b>
      {isHeldDown &&
        ` Its own annotations score ${percent(why.own)}. Its source ${short(worst.key)} scores ${percent(worst.score)}, and the lowest counts.`}
      {why.vetoes.length > 0 && ` Required, and not satisfied: ${why.vetoes.join(', ')}.`}
    </p>
  )
}

/** Formats a score as a percentage. Rounds down, so that only a full score shows 100 %. */
const percent = (score: number) => `${Math.floor(percentOf(score))} %`

function Bundles({
  bundles,
  isOfMany = false,
}: {
  readonly bundles: readonly Bundle[]
  readonly isOfMany?: boolean
}) {
  return (
    <ul class="bundles">
      {bundles.map((bundle) => (
        <li key={bundle.seq}>
          <time class="numbers quiet" dateTime={bundle.timestamp}>
            {shownTime(bundle.timestamp)}
          </time>
          <span>
            {bundle.action ?? 'annotation'} on {bundle.host}
          </span>
          {isOfMany && (
            <button type="button" class="button quiet" title={bundle.key} onClick={() => pick(bundle)}>
              <code>{short(bundle.key)}</code>
            </button>
          )}
          <span class="row">
            {bundle.annotations.map((one, at) => (
              <Answer key={at} kind={one.kind} isSatisfied={one.isSatisfied} />
            ))}
          </span>
        </li>
      ))}
    </ul>
  )
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
