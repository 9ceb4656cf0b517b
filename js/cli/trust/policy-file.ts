import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type Policy, type PolicySigner, readTrust } from 'alvarium-sdk/trust'
import { AlvariumError, textOf } from '../../base/errors.js'
import { isAllowedSigners } from '../../trust/allowed-signers.js'
import { invalid, named } from '../fault.js'

/** Another value in one place of a policy. */
export interface Edit {
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

/** The text of a policy before and after it was edited. */
export interface Edited {
  readonly before: string
  readonly after: string
}

const EMPTY = '{\n  "signers": []\n}\n'

/** A policy in a file, in JSON or YAML. Comments of YAML stay, and JSON keeps its indent. */
export class PolicyFile {
  readonly #path: string
  /** As it was read; undefined when there is no such file yet. */
  readonly #text: string | undefined
  readonly policy: Policy

  private constructor(path: string, text: string | undefined, policy: Policy) {
    this.#path = path
    this.#text = text
    this.policy = policy
  }

  /**
   * @param isNew - whether it may be one that is not there yet
   * @throws AlvariumError `CONFIG_INVALID`
   */
  static async open(path: string | undefined, isNew = false): Promise<PolicyFile> {
    if (path === undefined) throw invalid('--trust', 'the file of a trust policy', 'none')
    const text = textAt(path, isNew)
    if (text !== undefined && isAllowedSigners(text)) {
      throw invalid('--trust', 'a policy in JSON or YAML', 'allowed_signers, which its own tools edit')
    }
    const file = new PolicyFile(path, text, (await valueIn(text ?? EMPTY)) as Policy)
    await file.#assertWorks(text ?? EMPTY)
    return file
  }

  /** @throws AlvariumError `CONFIG_INVALID` when there is none of that name */
  signer(name: string): { readonly at: number; readonly signer: PolicySigner } {
    const { signers } = this.policy
    const at = signers.findIndex((one) => one.name === name)
    if (at >= 0) return { at, signer: signers[at] as PolicySigner }
    throw invalid('name', `one of ${signers.map((one) => one.name).join(', ')}`, named(name))
  }

  /**
   * Writes the policy with these edits, if it can work then: at once, so that whoever reads the file finds the one or the other.
   *
   * @throws AlvariumError `CONFIG_INVALID`
   */
  async edit(edits: readonly Edit[], { isDry }: { readonly isDry: boolean }): Promise<Edited> {
    const before = await inForm(this.#text ?? EMPTY, [])
    const after = await inForm(this.#text ?? EMPTY, edits)
    await this.#assertWorks(after)
    if (!isDry) this.#write(after)
    return { before: this.#text === undefined ? '' : before, after }
  }

  async #assertWorks(text: string): Promise<void> {
    try {
      await (await readTrust(`${text}\n`)).close()
    } catch (error) {
      if (!(error instanceof AlvariumError)) throw error
      const lines = error.message.split('\n').map((line) => `--trust ${named(this.#path)}: ${line}`)
      throw new AlvariumError(error.code, lines.join('\n'), { cause: error })
    }
  }

  #write(text: string): void {
    if (textAt(this.#path, true) !== this.#text) {
      throw invalid('--trust', 'a file that nobody else edits', 'one that has changed meanwhile: try again')
    }
    const path = this.#text === undefined ? this.#path : realpathSync(this.#path)
    const temporary = `${path}.${process.pid}.new`
    try {
      const mode = this.#text === undefined ? 0o644 : statSync(path).mode & 0o777
      const file = openSync(temporary, 'wx', mode)
      writeFileSync(file, text)
      fsyncSync(file)
      closeSync(file)
      renameSync(temporary, path)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw invalid('--trust', 'a file that can be written', textOf(error))
    }
  }
}

function textAt(path: string, isNew: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isNew && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw invalid('--trust', 'a file that can be read', textOf(error))
  }
}

async function valueIn(text: string): Promise<unknown> {
  if (isJson(text)) return JSON.parse(text)
  const { parse } = await import('yaml')
  return parse(text, { logLevel: 'silent' })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The text with these edits, in the form that it has. */
async function inForm(text: string, edits: readonly Edit[]): Promise<string> {
  if (isJson(text)) {
    const value = JSON.parse(text)
    for (const edit of edits) set(value, edit)
    const [, indent = '  '] = /^\{\r?\n([ \t]+)"/.exec(text) ?? []
    return `${JSON.stringify(value, null, indent)}\n`
  }
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text)
  for (const { path, value } of edits) document.setIn(path, document.createNode(value))
  return document.toString({ lineWidth: 0 })
}

function set(value: object, { path, value: next }: Edit): void {
  const parent = path.slice(0, -1).reduce<object>((one, step) => Reflect.get(one, step), value)
  Reflect.set(parent, path.at(-1) as string | number, next)
}
