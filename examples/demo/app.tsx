import { Header } from './panels/header/header.tsx'
import { Links } from './panels/header/links.tsx'
import { UnderTheHood } from './panels/hood/hood.tsx'
import { LineagePanel } from './panels/lineage/lineage.tsx'
import { MakePanel } from './panels/make/make.tsx'
import { ScorePanel } from './panels/score/score.tsx'
import { NoCore } from './panels/story/no-core.tsx'
import { Story } from './panels/story/story.tsx'
import { VerifyPanel } from './panels/verify/verify.tsx'
import { start } from './state/start.ts'

/**
 * Shows the whole page: the story, the tool, then the visitor's messages and their results. The technical
 * panels are collapsed.
 *
 * A panel is a folder in `panels/` with one exported component made with `ui/panel.tsx`. Its styles are a
 * file in `styles/`, which `styles/main.css` imports (colours and distances: `styles/tokens.css`). A panel
 * reads signals of `state/`, and calls workers through functions of `state/`, or directly with
 * `state/workers.ts`. It keeps its own state in signals of its own module. Markup has no inline styles,
 * because the Content-Security-Policy forbids them. `element.style.setProperty` is allowed.
 */
export function App() {
  const { trouble } = start.value
  return (
    <>
      <Header />
      <main>
        <Story />
        {trouble ? <NoCore trouble={trouble} /> : <Panels />}
      </main>
      <footer class="foot">
        <p>
          Alvarium SDK for JavaScript, Apache-2.0. Everything on this page happens in your browser; payloads
          never leave it.
        </p>
        <Links />
      </footer>
    </>
  )
}

/**
 * Shows a link that opens the page in its own tab. In a frame, the page shows only this link: the surrounding
 * page could lay its own text over a verdict, or make a visitor click hidden buttons. A header would prevent
 * frames, but a server of static files may not be able to set one.
 */
export function LinkOut() {
  return (
    <p class="no-core">
      This page does not run inside another page, which could cover what it says.{' '}
      <a href={location.href} target="_blank" rel="noopener">
        Open it in its own tab
      </a>
    </p>
  )
}

function Panels() {
  return (
    <div class="panels">
      <VerifyPanel />
      <MakePanel />
      <div class="panels-aside">
        <LineagePanel />
        <ScorePanel />
      </div>
      <UnderTheHood />
    </div>
  )
}
