import { draft, draftBytes, jsonProblem } from '../../state/draft.ts'
import { maker } from '../../state/workers.ts'
import { Button } from '../../ui/controls.tsx'
import { size } from '../../ui/text.ts'

/** JSON or any other text, to paste and to edit. */
export function TextSource() {
  const { value } = draft
  const text = value.from === 'text' ? value.text : ''
  return (
    <>
      <textarea
        class="editor"
        aria-label="Payload as text"
        rows={4}
        spellcheck={false}
        value={text}
        placeholder={value.from === 'text' ? '' : `${value.name} is the payload now; type to replace it`}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
      <div class="under">
        <span class="quiet">
          {size(draftBytes.value.length)}
          {jsonProblem.value && ', not JSON: any bytes can be signed, but a rule finds no field in them'}
        </span>
        <Button kind="quiet" title="A payload that the pki annotator accepts" onClick={writeSigned}>
          Use a signed payload
        </Button>
      </div>
    </>
  )
}

function write(text: string): void {
  draft.value = { from: 'text', text }
}

async function writeSigned(): Promise<void> {
  write(await maker.call('signedSample', `reading of ${new Date().toISOString()}`))
}
