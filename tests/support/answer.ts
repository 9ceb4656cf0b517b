import type { AnyAnnotator } from 'alvarium-sdk'
import { utf8 } from './bytes.js'
import { opened } from './sdk.js'

/** What an annotator answers when a call gives it this input, and the text of why it failed, where it did. */
export async function answerOf(annotator: AnyAnnotator, input?: unknown): Promise<boolean | string> {
  const { sdk } = await opened([annotator], { annotatorTimeoutMs: 3_600_000 })
  const failures: string[] = []
  sdk.addEventListener('annotatorerror', ({ error }) => failures.push(error.message))
  const { bundle } = await sdk.create(utf8('payload'), { [annotator.kind]: input } as object)
  await sdk.close()
  return failures[0] ?? bundle.annotations[0]?.isSatisfied ?? 'no answer'
}
