import type { AnyAnnotator } from 'alvarium-sdk'
import { utf8 } from './bytes.js'
import { opened } from './sdk.js'

/** Returns an annotator's answer for an input, or the text of its error if it fails. */
export async function answerOf(annotator: AnyAnnotator, input?: unknown): Promise<boolean | string> {
  const { sdk } = await opened([annotator], { annotatorTimeoutMs: 3_600_000 })
  const failures: string[] = []
  sdk.addEventListener('annotatorerror', ({ error }) => failures.push(error.message))
  const { bundle } = await sdk.create(utf8('payload'), { [annotator.kind]: input } as object)
  await sdk.close()
  return failures[0] ?? bundle.annotations[0]?.isSatisfied ?? 'no answer'
}
