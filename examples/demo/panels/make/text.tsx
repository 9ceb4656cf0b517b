import { jsonProblem, text } from '../../state/draft.ts'
import { maker } from '../../state/workers.ts'
import { Button } from '../../ui/controls.tsx'
import { size } from '../../ui/text.ts'

export function TextSource() {
  return (
    <>
      <textarea
        class="editor"
        aria-label="Payload as text"
        rows={4}
        spellcheck={false}
        value={text.value}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
      <div class="under">
        <span class="quiet">
          {size(new TextEncoder().encode(text.value).length)}
          {jsonProblem.value && ', not JSON: any bytes can be signed, but a rule finds no field in them'}
        </span>
        <Button kind="quiet" title="A payload that the pki annotator accepts" onClick={writeSigned}>
          Use a payload already signed
        </Button>
      </div>
    </>
  )
}

function write(next: string): void {
  text.value = next
}

async function writeSigned(): Promise<void> {
  write(await maker.call('signedSample', `reading of ${new Date().toISOString()}`))
}
