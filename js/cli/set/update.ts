import { proveUpdate } from 'alvarium-sdk/sets'
import { EXIT, type Run } from '../session.js'
import { assertFree, listIn, runWithLists, writeMessage } from './files.js'

interface UpdateOptions {
  readonly out?: string
}

export const run: Run<UpdateOptions> = ([before = '', after = ''], { out }, session) =>
  runWithLists(async () => {
    assertFree('--out', out)
    const lists = [await listIn(before, undefined, session), await listIn(after, undefined, session)] as const
    await writeMessage(await proveUpdate(...lists), out, session)
    return EXIT.yes
  }, session)
