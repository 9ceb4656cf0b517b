import { signal } from '@preact/signals'
import { judge, nameOf, type PayloadName, type Voice } from 'alvarium-sdk/judge'
import type { VerifiedPack } from 'alvarium-sdk/packs'
import { render } from 'preact'
import { useMemo } from 'preact/hooks'
import { count } from '../demo/ui/text.ts'
import { Lineage } from './lineage.tsx'
import { percent } from './percent.ts'
import { type State, state, trusted, verifyFile } from './verifying.ts'

const isOver = signal(false)
/** How wide a drawing may be, in pixels. */
const room = signal(0)
const measure = () => {
  room.value = Math.min(window.innerWidth, 1024) - 80
}
measure()
addEventListener('resize', measure)

function Page() {
  return (
    <>
      <header class="top">
        <span class="brand">Alvarium evidence pack</span>
      </header>
      <main>
        <Opening />
        <Result shown={state.value} />
      </main>
      <footer class="foot">
        Everything is verified in this page. Nothing leaves it, and it loads nothing.
      </footer>
    </>
  )
}

function Opening() {
  const open = (files: FileList | null | undefined) => {
    isOver.value = false
    const [file] = files ?? []
    if (file) void verifyFile(file)
  }
  return (
    <section class="panel" aria-label="Open a pack">
      <label
        class={`drop ${isOver.value ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault()
          isOver.value = true
        }}
        onDragLeave={() => {
          isOver.value = false
        }}
        onDrop={(event) => {
          event.preventDefault()
          open(event.dataTransfer?.files)
        }}
      >
        <strong>Open an evidence pack</strong>
        <span>
          Drop the file here, or click. <code>alvarium pack make</code> makes one.
        </span>
        <input
          class="hidden"
          type="file"
          accept=".zip,application/zip"
          onChange={({ currentTarget }) => {
            open(currentTarget.files)
            // So that it can be opened again, once it is said whom to trust.
            currentTarget.value = ''
          }}
        />
      </label>
      <details>
        <summary>Whom do you trust?</summary>
        <label>
          <span class="quiet small">
            Paste public keys, each on lines of its own, or a trust policy, then open the pack. Without them,
            the policy in the pack counts: its author wrote it.
          </span>
          <textarea
            rows={4}
            value={trusted}
            onInput={({ currentTarget }) => (trusted.value = currentTarget.value)}
          />
        </label>
      </details>
    </section>
  )
}

function Result({ shown }: { readonly shown: State }) {
  if (shown.is === 'empty') return null
  if (shown.is === 'verified') return <Verified {...shown} />
  return (
    <section class="panel" aria-live="polite">
      {shown.is === 'failed' ? (
        <p class="says bad">
          ✗ {shown.what} is refused. {shown.why}
        </p>
      ) : (
        <label>
          Verifying {shown.name}: {Math.floor(100 * shown.share)} %
          <progress max={1} value={shown.share} />
        </label>
      )}
    </section>
  )
}

/** What a pack shows: a sentence, how much of it, the score and why, what is missing, and where it came from. */
function Verified({ name, pack, seconds }: State & { readonly is: 'verified' }) {
  const { says, isGood, verdict, fabric, policy, manifest, id } = pack
  const payload = useMemo(() => payloadOf(pack), [pack])
  const { satisfied, notSatisfied } = verdict.annotations
  const figures = [
    ['Score', percent(verdict.score)],
    ['Messages', count(verdict.lines.messages.verified)],
    ['Bundles', count(verdict.bundles)],
    ['Annotations', count(satisfied + notSatisfied)],
    ['Payloads', count(verdict.payloads)],
  ]
  return (
    <section class="panel" aria-live="polite" aria-labelledby="result">
      <h2 id="result">{name}</h2>
      <p class={`says ${!isGood ? 'bad' : pack.trustedBy === 'pack' ? 'unsure' : 'good'}`}>
        {isGood ? '✓' : '✗'} {says}
      </p>
      {pack.trustedBy === 'pack' && (
        <p class="absent">
          Its author says who may be trusted, and anyone can make a pack. Say above whom you trust, then open
          it again.
        </p>
      )}
      <dl class="figures">
        {figures.map(([what, value]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="part">
        <h3>Why this score?</h3>
        <Answers pack={pack} />
      </div>
      <div class="part">
        <h3>What is missing, or does not verify?</h3>
        <Missing pack={pack} />
      </div>
      <div class="part">
        <h3>What was it made from?</h3>
        {payload ? (
          <Lineage payload={payload} fabric={fabric} policy={policy} room={room.value} />
        ) : (
          <p class="quiet">Nothing was said about any payload.</p>
        )}
      </div>
      <p class="id">
        Made {manifest.made}, verified in {seconds.toFixed(1)} s. Id {id}
      </p>
    </section>
  )
}

/** Rows of what there may be very many of. */
const MOST_ROWS = 20

/** Each by what was said of itself: what it was made from is drawn below. */
function Answers({ pack: { verdict, lowest, fabric, policy } }: { readonly pack: VerifiedPack }) {
  const rows = useMemo(
    () => lowest.map((one) => judge(fabric.dossier(one, { limit: 0 }), policy)),
    [lowest, fabric, policy],
  )
  if (rows.length === 0) return <p class="quiet">Nothing was said.</p>
  return (
    <>
      {verdict.payloads > rows.length && (
        <p class="quiet small">
          The lowest {rows.length} of {count(verdict.payloads)} payloads.
        </p>
      )}
      <ul class="list">
        {rows.map(({ hash, key, why }) => (
          <li class="row" key={nameOf({ hash, key })}>
            <code title={key}>{key.slice(0, 16)}…</code>
            <span class="numbers">{percent(why.own)}</span>
            {[...answersIn(why.voices)].map(([kind, { yes, all }]) => (
              <span key={kind} class={`answer ${yes === all ? 'yes' : 'no'}`}>
                {yes === all ? '✓' : '✗'} {kind} {count(yes)}/{count(all)}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </>
  )
}

/** By kind, of those that are heard. */
function answersIn(voices: readonly Voice[]) {
  const answers = new Map<string, { yes: number; all: number }>()
  for (const { kind, isSatisfied, count, trust } of voices) {
    if (trust === 0) continue
    const { yes, all } = answers.get(kind) ?? { yes: 0, all: 0 }
    answers.set(kind, { yes: yes + (isSatisfied ? count : 0), all: all + count })
  }
  return answers
}

function Missing({ pack: { verdict, faults, isClaimed } }: { readonly pack: VerifiedPack }) {
  const { whole, logs, lines } = verdict
  // Of very many faults, not all are kept.
  const bad = Object.values(lines).reduce((sum, { refused, unknown }) => sum + refused + unknown, 0)
  const rows = [
    ...(isClaimed ? [] : ['The verdict in the pack is not the one that its messages give here.']),
    ...(whole.missing > 0 ? [`${count(whole.missing)} that should be in the pack are not.`] : []),
    ...logs
      .filter(({ missing, unlisted }) => missing + unlisted > 0)
      .map(
        ({ signer, missing, unlisted }) =>
          `Signer ${signer}: ${count(missing)} messages of its log are not here, and ${count(unlisted)} are in no log.`,
      ),
    ...faults
      .slice(0, MOST_ROWS)
      .map(({ part, line, error }) => `${part}, line ${line}: ${error.code}. ${error.message}`),
    ...(bad > MOST_ROWS ? [`And ${count(bad - MOST_ROWS)} more lines.`] : []),
  ]
  if (rows.length === 0 && whole.by === 'nothing') {
    return <p class="absent">Everything here verifies. Nothing shows that these are all.</p>
  }
  if (rows.length === 0) return <p class="quiet">Nothing: everything verifies, and these are all.</p>
  return (
    <ul class="list">
      {rows.map((row) => (
        <li class="problem" key={row}>
          {row}
        </li>
      ))}
    </ul>
  )
}

/** The payload whose lineage is shown: of those that score lowest, one that was made from something. */
function payloadOf({ lowest, fabric }: VerifiedPack): PayloadName | undefined {
  return lowest.find((one) => fabric.madeFrom(one).length > 0) ?? lowest[0]
}

// What is dropped beside the field would be opened in the page's place.
for (const event of ['dragover', 'drop']) document.addEventListener(event, (given) => given.preventDefault())
render(<Page />, document.getElementById('page') as HTMLElement)
