import { EXIT, type Run } from '../session.js'
import { bold, padded, shown } from '../terminal/shown.js'
import { type KeyFile, openKeyFile } from './key-file.js'

/** What `alvarium key show` can be asked for. */
interface ShowOptions {
  readonly seed?: boolean
  readonly json?: boolean
}

export const run: Run<ShowOptions> = async (files, { seed = false, json = false }, { out }) => {
  for (const file of files) {
    const key = await openKeyFile(file, { seed })
    if (json) await out.json({ file, ...key })
    else await out.line(described(file, key))
  }
  return EXIT.yes
}

function described(file: string, { keyId, half, algorithm, form }: KeyFile) {
  return shown`${bold(keyId)}  ${padded(half, 7)}  ${padded(algorithm, 9)}  ${padded(form, 5)}  ${file}`
}
