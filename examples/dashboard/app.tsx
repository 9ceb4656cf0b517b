import { Problem } from '../demo/ui/controls.tsx'
import { count } from '../demo/ui/text.ts'
import { AnswersPanel } from './panels/answers.tsx'
import { CompletenessPanel } from './panels/completeness.tsx'
import { LineagePanel } from './panels/lineage.tsx'
import { NewestPanel, PayloadPanel } from './panels/payload.tsx'
import { QuarantinePanel, SignersPanel } from './panels/signers.tsx'
import { stats, trouble } from './state.ts'

export function App() {
  return (
    <>
      <Header />
      <main>
        <Figures />
        {trouble.value && <Problem code={trouble.value.code} message={trouble.value.message} />}
        <div class="panels">
          <div class="panels-aside">
            <PayloadPanel />
            <LineagePanel />
          </div>
          <NewestPanel />
          <AnswersPanel />
          <div class="panels-aside">
            <SignersPanel />
            <div class="panels">
              <QuarantinePanel />
              <CompletenessPanel />
            </div>
          </div>
        </div>
      </main>
    </>
  )
}

function Header() {
  const state = trouble.value ? 'offline' : stats.value ? 'online' : 'connecting'
  return (
    <header class="top">
      <h1>
        <a class="brand" href="#page">
          <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
            <path d="M8 1l6 3.5v7L8 15l-6-3.5v-7z" />
            <path d="M8 5.2l2.5 1.4v2.8L8 10.8 5.5 9.4V6.6z" />
          </svg>
          Alvarium store
        </a>
      </h1>
      <nav class="top-links" aria-label="Sections">
        <a href="#payload">Payload</a>
        <a href="#lineage">Lineage</a>
        <a href="#answers">Not satisfied</a>
        <a href="#signers">Signers</a>
        <a href="#completeness">Completeness</a>
        <a href="api/docs">API</a>
      </nav>
      <div class={`connection ${state}`}>
        <span class="dot" aria-hidden="true" />
        <span class="connection-text" role="status">
          {{ online: 'Store connected', offline: 'Store does not answer', connecting: 'Asking' }[state]}
        </span>
      </div>
    </header>
  )
}

function Figures() {
  const { bundles, messages, payloads, quarantined: reasons } = stats.value ?? {}
  const quarantined = reasons?.reduce((sum, one) => sum + one.messages, 0)
  const figures = { bundles, messages, payloads, quarantined }
  return (
    <dl class="figures">
      {Object.entries(figures).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === undefined ? '–' : count(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
