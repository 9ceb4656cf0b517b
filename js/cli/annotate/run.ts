import { EXIT, type Run } from '../session.js'
import { Annotating } from './annotating.js'
import { Journal } from './journal.js'
import type { AnnotateOptions } from './options.js'
import { sdkFor } from './sdk.js'
import { watched } from './watch.js'

export const run: Run<AnnotateOptions> = async (given, options, session) => {
  const sources = given.length > 0 ? given : ['-']
  const journal = await Journal.open(options.resume)
  const sdk = await sdkFor(options, session)
  const annotating = new Annotating(sdk, journal, options, session)
  const annotate = () => annotating.all(sources)
  try {
    if (options.watch) await watched(annotate, session.interrupted)
    else await annotate()
  } finally {
    await annotating.end()
    await sdk.close()
  }
  return EXIT.yes
}
