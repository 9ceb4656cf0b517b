import { useEffect } from 'preact/hooks'
import { loadLinked } from '../../state/editing.ts'
import { isLink, linkedIn } from '../../state/permalink.ts'
import { isUnverified, loaded } from '../../state/tool.ts'
import { verdicts } from '../../state/verdicts.ts'
import { bringIntoView, Panel } from '../../ui/panel.tsx'
import { size } from '../../ui/text.ts'
import { Checks } from './checks.tsx'
import { Editor } from './editor.tsx'
import { EditFields } from './fields.tsx'
import { attempt } from './given.ts'
import { VerdictList } from './list.tsx'
import { Open, takeFile } from './open.tsx'
import { Says } from './says.tsx'
import { Send } from './send.tsx'
import { Share } from './share.tsx'
import { Trust } from './trust.tsx'

/** Edits any message on the left, with the results of its checks on the right, always visible. */
export function VerifyPanel() {
  useEffect(followLinks, [])
  useEffect(takeDropped, [])
  return (
    <Panel
      id="verify"
      title="Verify"
      lead="Is this message genuine, and about my data? Give a message of any Alvarium SDK, or use one from this page. Change a signed character and a check fails. Nothing leaves this page."
    >
      <div class={`verifying ${isUnverified.value ? 'unverified' : ''}`}>
        <div class="verify-message">
          <Open />
          {loaded.value.pack ? <PackTitle /> : <Editor />}
          {!loaded.value.pack && <Send />}
          <Trust />
          {!loaded.value.pack && <EditFields />}
        </div>
        <div class="verify-result">
          <div class="result-room">
            <Checks />
            <Says />
          </div>
          <Share />
        </div>
      </div>
      <VerdictList verdicts={verdicts.value} />
    </Panel>
  )
}

/** Names the pack in place of the editor: fields of a pack cannot be altered here. */
function PackTitle() {
  const { name, pack } = loaded.value
  return (
    <div class="block-head">
      <h3 id="message-title" tabIndex={-1}>
        {name}
      </h3>
      <span class="quiet numbers">evidence pack, {size(pack?.size ?? 0)}</span>
    </div>
  )
}

/** Opens the message in the address, now and when the address changes. */
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

/** Loads a file that is dropped anywhere on the page, but not on the area for payloads. */
function takeDropped(): () => void {
  const drop = (event: DragEvent) => {
    const file = event.dataTransfer?.files[0]
    if (!file || (event.target instanceof Element && event.target.closest('.drop'))) return
    takeFile(file)
    bringIntoView('verify')
  }
  addEventListener('drop', drop)
  return () => removeEventListener('drop', drop)
}
