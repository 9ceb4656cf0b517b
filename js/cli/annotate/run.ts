import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT, type Run, type Session } from '../session.js'
import { AnnotateJob, type AnnotateParts } from './annotate-job.js'
import { filesAmong, inputLines } from './inputs.js'
import { Journal } from './journal.js'
import type { AnnotateOptions } from './options.js'
import { originalsFor } from './originals.js'
import { OutFile } from './out-file.js'
import { OwnFiles } from './own-files.js'
import { sdkFor } from './sdk.js'

export const run: Run<AnnotateOptions> = async (given, options, session) => {
  const sources = given.length > 0 ? given : ['-']
  const journal = await Journal.open(options.resume)
  const listed = await inputLines(options.inputs)
  const ownFiles = await OwnFiles.of(options, filesAmong(listed ?? []))
  const out = await OutFile.at(options, [...sources, ...ownFiles.inputs], journal.isBegun)
  const originals = await originalsFor(sources, options, listed, session)
  let isWhole = false
  try {
    isWhole = await annotateAll(sources, { journal, ownFiles, originals }, out, options, session)
  } finally {
    if (!isWhole) await out?.removeIfEmpty()
  }
  return isWhole ? EXIT.yes : EXIT.unknown
}

async function annotateAll(
  sources: readonly string[],
  means: Omit<AnnotateParts, 'sdk' | 'needsPayload'>,
  out: OutFile | undefined,
  options: AnnotateOptions,
  session: Session,
): Promise<boolean> {
  const { sdk, needsPayload } = await sdkFor(options, session)
  const annotating = new AnnotateJob({ ...means, sdk, needsPayload }, options, session)
  const annotate = () => annotating.annotateAll(sources)
  let isDone = false
  try {
    await out?.begin()
    // Write the journal now, so that a run that is killed before its first message can be resumed.
    await means.journal.write()
    if (options.watch) await repeatUntil(annotate, session.interrupted)
    else await annotate()
    isDone = true
  } finally {
    await annotating.end(isDone).finally(() => sdk.close())
  }
  return annotating.isWhole
}

/** Milliseconds between two polls of a folder. Network file systems send no change events. */
const LOOK_EVERY_MS = 500

async function repeatUntil(look: () => Promise<void>, interrupted: AbortSignal): Promise<void> {
  while (!interrupted.aborted) {
    await look()
    // An interruption rejects the sleep. Ignore the error, because the loop ends then.
    await sleep(LOOK_EVERY_MS, undefined, { signal: interrupted }).catch(() => {})
  }
}
