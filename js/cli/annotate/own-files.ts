import { type BigIntStats, fstatSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { parseConfig } from '../../sdk/config/file/text.js'
import { type FileFound, idOf } from '../input/files.js'
import { textIn } from '../input/text.js'
import { type AnnotateOptions, KINDS } from './options.js'

interface OwnFile {
  readonly path: string
  readonly description: string
}

/** Descriptors of standard output and standard error. A shell may redirect them to files. */
const OUTPUT_DESCRIPTORS = [
  [1, 'what this command writes'],
  [2, 'what this command writes'],
] as const

/**
 * Files that the command itself reads or writes. They never count as payloads: with hash `none` a message
 * would contain the private key, and the command would annotate its own output forever. Files are identified by
 * device and inode, not by name.
 */
export class OwnFiles {
  readonly #files: readonly OwnFile[]
  readonly inputs: readonly string[]
  #descriptions = new Map<string, string>()

  /** @param inputs - paths of files that the output must not overwrite, some of which may be payloads */
  private constructor(files: readonly OwnFile[], inputs: readonly string[]) {
    this.#files = files
    this.inputs = inputs
  }

  static async of(options: AnnotateOptions, listed: readonly string[]): Promise<OwnFiles> {
    const { key, config, out, resume, passwordFile, ca, pkiKey, from = [], inputs, annotator = [] } = options
    const read: [string | undefined, string][] = [
      [key, 'the private key (--key)'],
      [config, 'the config (--config)'],
      [resume, 'how far this command came (--resume)'],
      [resume && `${resume}.new`, 'how far this command came (--resume)'],
      [passwordFile, 'the password (--password-file)'],
      [ca, 'the certificate (--ca)'],
      [pkiKey, 'the public key of the annotator pki (--pki-key)'],
      ...(await filesOfConfig(config)).map((path): [string, string] => [
        path,
        'named in the config (--config)',
      ]),
    ]
    const files = read.flatMap(ownFile)
    const list = inputs === undefined ? [] : [inputs]
    const modules = annotator.filter((one) => !KINDS.includes(one))
    return new OwnFiles(
      [...files, ...ownFile([out, 'what this command writes (--out)'])],
      [...files.map(({ path }) => path), ...from, ...list, ...listed, ...modules],
    )
  }

  /** Looks up the inodes again, because the command creates some files while it runs. */
  async refresh(): Promise<void> {
    this.#descriptions = new Map()
    for (const { path, description } of this.#files) {
      const info = await stat(path, { bigint: true }).catch(() => undefined)
      if (info?.isFile()) this.#descriptions.set(idOf(info), description)
    }
    for (const [descriptor, label] of OUTPUT_DESCRIPTORS) {
      const info = standard(descriptor)
      if (info?.isFile()) this.#descriptions.set(idOf(info), label)
    }
  }

  /** Returns the description of a file that the command itself uses; undefined for a payload. */
  async describe({ path, id }: FileFound): Promise<string | undefined> {
    // Refresh first: every write of the journal creates a new inode.
    if (this.#files.some((file) => basename(file.path) === basename(path))) await this.refresh()
    return this.#descriptions.get(id)
  }

  /** Description of standard input if a shell redirected it from a file that the command itself uses. */
  get piped(): string | undefined {
    const info = standard(0)
    return info?.isFile() ? this.#descriptions.get(idOf(info)) : undefined
  }
}

function ownFile([path, label]: readonly [string | undefined, string]): OwnFile[] {
  return path === undefined ? [] : [{ path, description: label }]
}

function standard(descriptor: number): BigIntStats | undefined {
  try {
    return fstatSync(descriptor, { bigint: true })
  } catch {
    // The parent process has closed this descriptor.
    return undefined
  }
}

/** Returns the paths in a config; none if it is unreadable, because opening the SDK reports that error. */
async function filesOfConfig(config: string | undefined): Promise<string[]> {
  if (config === undefined) return []
  try {
    return [...pathsIn(await parseConfig(await textIn('--config', config)))]
  } catch {
    return []
  }
}

function* pathsIn(value: unknown): Generator<string, void> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, one] of Object.entries(value)) {
    if (name === 'path' && typeof one === 'string') yield one
    else yield* pathsIn(one)
  }
}
