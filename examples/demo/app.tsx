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
 * The whole page: the story, the tool, then what a visitor makes and what becomes of it; how it works is under a fold.
 *
 * A panel is a folder in `panels/` with one exported component made with `ui/panel.tsx`, and a file in `styles/` that
 * `styles/main.css` imports (colours and distances: `styles/tokens.css`). It reads signals of `state/`, and calls
 * workers through `state/` or `state/workers.ts`; what it keeps for itself are signals of its own module. No inline
 * styles in markup: the Content-Security-Policy forbids them; `element.style.setProperty` is allowed.
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
 * Links to the page, which does not run in a frame: the page around it could lay its own text over a verdict, or have a visitor click what
 * it hides. A header would keep the page out of frames, but a server of static files may set none.
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
