import { signal } from '@preact/signals'
import type { Absence, PackFault, VerifiedPack } from 'alvarium-sdk/packs'
import {
  nameOf,
  type PayloadName,
  type Score,
  type SignerAnswer,
  scorePayload,
  type Why,
} from 'alvarium-sdk/score'
import { type Judged, OUTCOMES } from 'alvarium-sdk/verify'
import { render } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { count, counted, short } from '../demo/ui/text.ts'
import { Lineage } from './lineage.tsx'
import { percent } from './percent.ts'
import { type State, state, trust, trusted, verifyFile } from './verifying.ts'

const isOver = signal(false)
/** Available width of a drawing in pixels. */
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
        <h1 class="brand">Alvarium evidence pack</h1>
      </header>
      <main>
        <Opening />
        {state.value.is !== 'empty' && <Card view={state.value} />}
        {state.value.is === 'verified' && <Details {...state.value} />}
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
            // Clear the value, so that the same file can be opened again.
            currentTarget.value = ''
          }}
        />
      </label>
      {state.value.is === 'empty' && <TrustBox isNeeded={false} />}
    </section>
  )
}

/** Accepts the reader's public keys or policy. The pack is verified again after each change. */
function TrustBox({ isNeeded }: { readonly isNeeded: boolean }) {
  const [isOpen, setOpen] = useState(isNeeded)
  // Keep the field open: if it closed during typing, the focus would be lost.
  useEffect(() => {
    if (isNeeded) setOpen(true)
  }, [isNeeded])
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Trusted public keys or policy</summary>
      <label>
        <span class="quiet small">
          Paste public keys, each on lines of its own, or a trust policy. Without them, the page can tell at
          most that a pack is consistent with itself: anyone can make one with keys of their own.
        </span>
        <textarea rows={4} value={trusted} onInput={({ currentTarget }) => trust(currentTarget.value)} />
      </label>
    </details>
  )
}

/**
 * Shows the verdict in a few words, a sentence and three lines, and the field for public keys, open if the
 * verdict needs some.
 */
function Card({ view }: { readonly view: Exclude<State, { readonly is: 'empty' }> }) {
  return (
    <section class="panel card" aria-live="polite" aria-labelledby="result">
      <h2 id="result">{view.is === 'failed' ? view.what : view.name}</h2>
      {view.is === 'verifying' && (
        <label>
          Verifying: {Math.floor(100 * view.share)} %
          <progress max={1} value={view.share} />
        </label>
      )}
      {view.is === 'failed' && (
        <Headline outcome={view.outcome} says={`${view.what} is refused. ${view.why}`} />
      )}
      {view.is === 'verified' && <Verdict pack={view.pack} />}
      <TrustBox isNeeded={isKeyless(view)} />
    </section>
  )
}

function isKeyless(view: State): boolean {
  return view.is === 'verified' ? lacksKeys(view.pack) : view.is === 'failed' && trusted.peek() !== ''
}

function lacksKeys({ trustedBy, outcome }: VerifiedPack): boolean {
  return trustedBy === 'pack' && outcome === 'cannot tell'
}

/** Next step for a reader without keys. */
const PASTE_KEYS =
  'Paste the public keys of those whom you trust below, or your trust policy. Anyone can make a pack with keys of their own.'

const HEADLINES = {
  holds: 'Genuine',
  'does not hold': 'Does not hold',
  'cannot tell': 'Cannot tell yet',
} as const

/**
 * Shows an outcome as a word in its colour, the verdict after its mark (✓, ✗ or ?), and the next step.
 */
function Headline({ outcome, says, needs }: Judged) {
  const { mark, colour } = OUTCOMES[outcome]
  return (
    <>
      <p class={`headline ${colour}`}>{HEADLINES[outcome]}</p>
      <p class={`says ${colour}`}>
        {mark} {says}
      </p>
      {needs && <p class="absent">{needs}</p>}
    </>
  )
}

/** Returns the sentence about a pack, and a line each about its signatures, its score and its completeness. */
function Verdict({ pack }: { readonly pack: VerifiedPack }) {
  const { verdict } = pack
  const { verified, refused, unknownSigner } = verdict.lines.messages
  const { word, missing } = verdict.whole
  const all = verified + refused + unknownSigner
  const by = pack.trustedBy === 'reader' ? '' : ', if you trust its signer'
  const gap = missing > 0 ? `, ${count(missing)} missing` : ''
  const lines = [
    ['Signatures', `${count(verified)} of ${counted(all, 'message')}`],
    ['payload' in verdict.about ? 'Score' : 'Lowest score', percent(verdict.score)],
    ['Completeness', word === 'not shown' ? `not proven${gap}` : `${word}${by}`],
  ]
  return (
    <>
      <Headline {...pack} needs={lacksKeys(pack) ? PASTE_KEYS : pack.needs} />
      <dl class="figures">
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

/** Returns the reasons for the score, the statements, the missing messages, and the lineage. */
function Details({ pack, seconds }: State & { readonly is: 'verified' }) {
  const { verdict, fabric, policy, manifest, id } = pack
  const payload = useMemo(() => payloadOf(pack), [pack])
  const { satisfied, notSatisfied } = verdict.annotations
  const annotations = counted(satisfied + notSatisfied, 'annotation')
  return (
    <section class="panel" aria-label="Details">
      <p class="quiet small">
        {annotations} in {counted(verdict.bundles, 'bundle')}, about {counted(verdict.payloads, 'payload')}.
      </p>
      <div class="part">
        <h3>Why this score?</h3>
        <Answers pack={pack} />
      </div>
      <div class="part">
        <h3>Who said what?</h3>
        <Statements pack={pack} />
      </div>
      <div class="part">
        <h3>What is missing, or does not verify?</h3>
        <Missing pack={pack} />
      </div>
      <div class="part">
        <h3>What was it made from?</h3>
        {payload ? (
          <Lineage
            payload={payload}
            fabric={fabric}
            policy={policy}
            score={scoreOf(pack, payload)}
            room={room.value}
          />
        ) : (
          <p class="quiet">Nothing was said about any payload.</p>
        )}
      </div>
      <p class="id">
        Made {manifest.made}, as its author says. Verified in {seconds.toFixed(1)} s. Id {id}
      </p>
    </section>
  )
}

const MAX_ROWS = 20

/** Maximum number of ancestors that are searched for the one that decides a score. */
const MAX_ANCESTORS = 1_000

/**
 * Returns the score of a payload. In a pack about one payload, the sources of the payload count, too, unless
 * the policy excludes them. In other packs, only the payload's own annotations count.
 */
function scoreOf({ verdict, fabric, policy }: VerifiedPack, payload: PayloadName): Score {
  if ('payload' in verdict.about) return verdict.score
  return scorePayload(fabric.scoringInput(payload, { limit: 0 }), policy).why.own
}

/** Returns the payloads with the lowest scores, each with its answers. */
function Answers({ pack }: { readonly pack: VerifiedPack }) {
  const { verdict, lowest, fabric, policy } = pack
  const rows = useMemo(
    () => lowest.map((one) => scorePayload(fabric.scoringInput(one, { limit: MAX_ANCESTORS }), policy)),
    [lowest, fabric, policy],
  )
  if (rows.length === 0) return <p class="quiet">Nothing was said.</p>
  const isAboutPayload = 'payload' in verdict.about
  return (
    <>
      {!isAboutPayload && verdict.payloads > rows.length && (
        <p class="quiet small">
          The lowest {rows.length} of {counted(verdict.payloads, 'payload')}.
        </p>
      )}
      <ul class="list">
        {rows.map(({ hash, key, why }) => (
          <li key={nameOf({ hash, key })}>
            <div class="row">
              <code title={key}>{key.slice(0, 16)}…</code>
              <span class="numbers">{percent(isAboutPayload ? verdict.score : why.own)}</span>
              {[...answersIn(why.answers)].map(([kind, { yes, all }]) => (
                <span key={kind} class={`answer ${yes === all ? 'yes' : 'no'}`}>
                  {yes === all ? '✓' : '✗'} {kind} {count(yes)}/{count(all)}
                </span>
              ))}
              {why.answers.length === 0 && <span class="quiet">nothing was said about it</span>}
            </div>
            {isAboutPayload && <Ancestor why={why} score={verdict.score} />}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Returns the ancestor that decides the score of a payload, unless the payload's own annotations decide it. */
function Ancestor({ why, score }: { readonly why: Why; readonly score: Score }) {
  const [worst] = why.ancestors
  if (score === 'unknown') {
    return <p class="absent">Unknown, as it was made from a set or from payloads that are not all here.</p>
  }
  if (!worst || score >= why.own) return null
  return (
    <p class="absent">
      Because of what it was made from: <code title={worst.key}>{worst.key.slice(0, 16)}…</code> scores{' '}
      {percent(worst.score)}.
    </p>
  )
}

/** Pattern for a key id: it names a signer without a name in the policy. */
const KEY_ID = /^[\da-f]{32}$/

function Statements({ pack }: { readonly pack: VerifiedPack }) {
  const { signers, statements, trustedBy } = pack
  if (signers.length === 0) return <p class="quiet">Nobody whose messages verify.</p>
  const nameOf = (name: string) => {
    const isQuoted = trustedBy === 'pack'
    const shown = isQuoted && !KEY_ID.test(name) ? name : short(name, 12)
    return isQuoted ? `“${shown}”` : shown
  }
  const all = signers.reduce((sum, one) => sum + one.statements, 0)
  return (
    <>
      {trustedBy === 'pack' && <p class="quiet small">By the names that the author of the pack gave them.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable with the keyboard */}
      <section class="table" tabIndex={0} aria-label="Statements">
        <table>
          <thead>
            <tr>
              {['Signer', 'Yes', 'No', 'Action', 'Host', 'Time'].map((name) => (
                <th key={name}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {signers.slice(0, MAX_ROWS).map((one) => (
              <tr class="signer" key={one.signer}>
                <th title={one.signer}>{nameOf(one.signer)}</th>
                <td>{count(one.yes)}</td>
                <td>{count(one.no)}</td>
                <td>{counted(one.statements, 'statement')}</td>
                <td />
                <td class="span">{one.since === one.until ? one.since : `${one.since} to ${one.until}`}</td>
              </tr>
            ))}
            {statements.slice(0, MAX_ROWS).map((one, at) => (
              <tr key={at}>
                <td>{nameOf(one.signer)}</td>
                <td class="kinds">{one.yes.join(', ')}</td>
                <td class="kinds">{one.no.join(', ')}</td>
                <td>{one.action ?? 'annotation of another SDK'}</td>
                <td class="host">{one.host}</td>
                <td>{one.timestamp}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {all > MAX_ROWS && (
        <p class="quiet small">
          The first {MAX_ROWS} of {counted(all, 'statement')}. <code>alvarium pack verify --list</code> shows
          all.
        </p>
      )}
    </>
  )
}

/** Counts yes answers and all answers of each annotation kind. Leaves out answers with a trust of 0. */
function answersIn(answers: readonly SignerAnswer[]) {
  const counts = new Map<string, { yes: number; all: number }>()
  for (const { kind, isSatisfied, count, trust } of answers) {
    if (trust === 0) continue
    const { yes, all } = counts.get(kind) ?? { yes: 0, all: 0 }
    counts.set(kind, { yes: yes + (isSatisfied ? count : 0), all: all + count })
  }
  return counts
}

function Missing({
  pack: { verdict, outcome, faults, matchesStoredVerdict, missing, trustedBy },
}: {
  readonly pack: VerifiedPack
}) {
  const { whole, logs, lines } = verdict
  // Calculate the number of faults from the counts, because `faults` lists only the first ones.
  const bad = Object.values(lines).reduce(
    (sum, { refused, unknownSigner }) => sum + refused + unknownSigner,
    0,
  )
  // Another policy, or an unknown signer, may explain a different verdict.
  const another = 'The verdict in the pack is not the one that its messages give here.'
  const unknown = faults.filter(isUnknown).slice(0, MAX_ROWS)
  const refused = faults.filter((one) => !isUnknown(one)).slice(0, MAX_ROWS)
  const more = bad - unknown.length - refused.length
  const open = [
    ...(matchesStoredVerdict || outcome === 'does not hold' ? [] : [another]),
    ...unknown.map(faultText),
  ]
  const rows = [
    ...(matchesStoredVerdict || outcome !== 'does not hold' ? [] : [another]),
    ...(whole.missing > 0
      ? [`${count(whole.missing)} that should be in the pack ${whole.missing === 1 ? 'is' : 'are'} missing.`]
      : []),
    ...missing.slice(0, MAX_ROWS).map(absenceText),
    ...logs
      .filter(({ unlisted }) => unlisted > 0)
      .map(
        ({ signer, unlisted }) => `Signer ${signer}: ${counted(unlisted, 'message')} in no log of its time.`,
      ),
    ...logs
      .filter(({ forks }) => forks > 0)
      .map(({ signer }) => `Signer ${signer} has told its log in two ways.`),
    ...refused.map(faultText),
  ]
  if (open.length + rows.length === 0 && whole.word === 'not shown') {
    const good = trustedBy === 'reader' ? 'verifies' : 'agrees with itself'
    return <p class="absent">Everything here {good}. Nothing shows that these are all.</p>
  }
  if (open.length + rows.length === 0) return <p class="quiet">Nothing that is known here.</p>
  return (
    <ul class="list">
      {rows.map((row) => (
        <li class="problem" key={row}>
          {row}
        </li>
      ))}
      {open.map((row) => (
        <li class="absent" key={row}>
          {row}
        </li>
      ))}
      {more > 0 && <li class="quiet">And {counted(more, 'more line')}.</li>}
    </ul>
  )
}

/** Returns whether a line cannot be verified because its signer is unknown. */
const isUnknown = ({ error }: PackFault) => error.code === 'SIGNER_UNKNOWN'

function faultText({ part, line, error }: PackFault): string {
  return `${part}, line ${line}: ${error.code}. ${error.message}`
}

const FATES = {
  missing: '',
  refused: ' The stream of the signer had refused it.',
  undecided: ' The stream of the signer had not accepted it yet.',
}

function absenceText({ keyId, run, first, last, since, until, fate }: Absence): string {
  const positions =
    first === last ? `position ${count(first)}` : `positions ${count(first)} to ${count(last)}`
  const messages = counted(last - first + 1, 'message')
  const log = `in run ${short(run)} of ${short(keyId)}`
  return `${messages} missing at ${positions} ${log}, signed between ${since} and ${until}.${FATES[fate]}`
}

/** Returns the payload whose lineage is shown: one with sources, among the payloads with the lowest scores. */
function payloadOf({ lowest, fabric }: VerifiedPack): PayloadName | undefined {
  return lowest.find((one) => fabric.madeFrom(one).length > 0) ?? lowest[0]
}

// A file dropped outside the field would otherwise replace the page.
for (const event of ['dragover', 'drop']) document.addEventListener(event, (given) => given.preventDefault())
render(<Page />, document.getElementById('page') as HTMLElement)
