import { useEffect } from 'preact/hooks'
import { isLink, linkedIn } from '../../state/permalink.ts'
import { isUnverified, loadLinked } from '../../state/tool.ts'
import { verdicts } from '../../state/verdicts.ts'
import { bringIntoView, Panel } from '../../ui/panel.tsx'
import { Checks } from './checks.tsx'
import { Editor } from './editor.tsx'
import { Fields } from './fields.tsx'
import { attempt } from './given.ts'
import { VerdictList } from './list.tsx'
import { Open, take } from './open.tsx'
import { Says } from './says.tsx'
import { Send } from './send.tsx'
import { Share } from './share.tsx'
import { Trust } from './trust.tsx'

/** Any message, to be edited on the left, with what its checks come to on the right, always in sight. */
export function VerifyPanel() {
  useEffect(followLinks, [])
  useEffect(takeDropped, [])
  return (
    <Panel
      id="verify"
      title="Verify"
      lead="Is this message genuine, and about my data? Open or paste a message of any Alvarium SDK, or use one from this page. Change a character and a check fails. Nothing leaves this page."
    >
      <div class={`verifying ${isUnverified.value ? 'unverified' : ''}`}>
        <div class="verify-message">
          <Open />
          <Editor />
          <Trust />
          <div class="tamper-fields">
            <Fields />
          </div>
        </div>
        <div class="verify-result">
          <Checks />
          <div class="verify-more">
            <Send />
            <Says />
            <Share />
          </div>
        </div>
      </div>
      <VerdictList verdicts={verdicts.value} />
    </Panel>
  )
}

/** Opens what the address carries, now and when it changes. */
function followLinks(): () => void {
  const follow = () => {
    if (!isLink(location.hash)) return
    bringIntoView('verify')
    attempt(async () => {
      const linked = await linkedIn(location.hash)
      return () => loadLinked(linked)
    })
  }
  follow()
  addEventListener('hashchange', follow)
  return () => removeEventListener('hashchange', follow)
}

/** A file that is dropped anywhere but where payloads are is a message. */
function takeDropped(): () => void {
  const drop = (event: DragEvent) => {
    const file = event.dataTransfer?.files[0]
    if (!file || (event.target instanceof Element && event.target.closest('.drop'))) return
    take(file)
    bringIntoView('verify')
  }
  addEventListener('drop', drop)
  return () => removeEventListener('drop', drop)
}
