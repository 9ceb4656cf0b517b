import type { Connection } from '../../protocol.ts'
import { isCut, made, makerConnection } from '../../state/making.ts'
import { hasBroker, place } from '../../state/place.ts'
import { start } from '../../state/start.ts'
import { THEMES, type Theme, theme } from '../../state/theme.ts'
import { BoundChoice } from '../../ui/controls.tsx'
import { count } from '../../ui/text.ts'

const THEME_TEXTS: Record<Theme, string> = { system: 'Auto', light: 'Light', dark: 'Dark' }

export function Header() {
  return (
    <header class="top">
      <a class="brand" href="#page">
        <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
          <path d="M8 1l6 3.5v7L8 15l-6-3.5v-7z" />
          <path d="M8 5.2l2.5 1.4v2.8L8 10.8 5.5 9.4V6.6z" />
        </svg>
        Alvarium
      </a>
      <nav class="top-links" aria-label="Sections">
        <a href="#verify">Verify</a>
        <a href="#make">Make</a>
        <a href="#lineage">Lineage</a>
        <a href="#score">Score</a>
        <a href="#hood">Under the hood</a>
        {__LINKS__.repository && (
          <a class="out" href={__LINKS__.repository}>
            Source
          </a>
        )}
      </nav>
      <ConnectionState />
      <BoundChoice
        label="Theme"
        options={THEMES.map((value) => ({ value, text: THEME_TEXTS[value] }))}
        chosen={theme}
      />
    </header>
  )
}

function ConnectionState() {
  const connection = makerConnection.value
  const { perSecond } = made.value
  const state = start.value.trouble ? 'offline' : connection.state
  return (
    <div class={`connection ${state}`} title={connection.reason?.message ?? where()}>
      <span class="dot" aria-hidden="true" />
      <span class="connection-text" role="status">
        {start.value.trouble ? 'SDK not running' : textOf(connection)}
      </span>
      {perSecond > 0 && <span class="connection-rate">{count(perSecond)}/s</span>}
    </div>
  )
}

function textOf({ state }: Connection): string {
  if (isCut.value) return 'Connection cut'
  if (!hasBroker) return 'In this page, no server'
  return {
    connecting: 'Connecting to broker',
    online: 'Connected to broker',
    offline: 'Broker not reachable',
  }[state]
}

function where(): string {
  return hasBroker ? place.url : 'Messages go from worker to worker inside this page'
}
