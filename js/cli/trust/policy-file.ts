import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { type Policy, type PolicySigner, readTrust } from 'alvarium-sdk/trust'
import { AlvariumError, codeOf, textOf } from '../../base/errors.js'
import { isJson, utf8In } from '../../base/text/text.js'
import { isAllowedSigners } from '../../trust/allowed-signers.js'
import { isJwks } from '../../trust/jwks.js'
import { LONGEST, policyWritten } from '../../trust/source.js'
import { inFile, invalid, named } from '../fault.js'
import { flushNameSync } from '../flush-name-sync.js'
import { someOf } from './listed.js'

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
    if (text !== undefined && (await isAllowedSigners(text))) throw notEdited('allowed_signers')
    await assertWorks(path, text ?? EMPTY)
    const policy = await policyWritten(text ?? EMPTY)
    if (isJwks(policy)) throw notEdited('a JSON Web Key Set')
    return new PolicyFile(path, text, policy as Policy)
  }

  /** @throws AlvariumError `CONFIG_INVALID` when there is none of that name */
  signer(name: string): { readonly at: number; readonly signer: PolicySigner } {
    const { signers } = this.policy
    const at = signers.findIndex((one) => one.name === name)
    if (at >= 0) return { at, signer: signers[at] as PolicySigner }
    throw invalid('name', `one of ${someOf(signers.map((one) => one.name))}`, named(name))
  }

  /**
   * Writes the policy with these edits, if it can work then: at once, so that whoever reads the file finds the one or the other.
   *
   * @throws AlvariumError `CONFIG_INVALID`
   */
  async edit(edits: readonly Edit[], { isDry }: { readonly isDry: boolean }): Promise<Edited> {
    const before = await inForm(this.#text ?? EMPTY, [])
    const after = await inForm(this.#text ?? EMPTY, edits)
    await assertWorks(this.#path, after)
    await this.#assertNothingElse(edits, after)
    if (!isDry) this.#write(after)
    return { before: this.#text === undefined ? '' : before, after }
  }

  /** What YAML has an anchor for is in several places. */
  async #assertNothingElse(edits: readonly Edit[], after: string): Promise<void> {
    const wanted = JSON.parse(JSON.stringify(this.policy))
    for (const edit of edits) set(wanted, edit)
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(await policyWritten(after))), wanted)) throw anchored()
  }

  /** The new file is the lock as well: whoever finds it there does not edit. */
  #write(text: string): void {
    const path = this.#text === undefined ? this.#path : realpathSync(this.#path)
    const temporary = `${path}.new`
    const file = openNew(temporary, this.#text === undefined)
    try {
      if (textAt(this.#path, true) !== this.#text) {
        throw invalid('--trust', 'a file that nobody else edits', 'one that changed meanwhile: try again')
      }
      if (this.#text !== undefined) makeLike(file, path)
      writeFileSync(file, text)
      fsyncSync(file)
      renameSync(temporary, path)
      flushNameSync(path)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error instanceof AlvariumError ? error : unwritable(error)
    } finally {
      closeSync(file)
    }
  }
}

/** @param isNew - whether there is no older file, whose mode it gets before it has any content */
function openNew(temporary: string, isNew: boolean): number {
  try {
    return openSync(temporary, 'wx', isNew ? 0o644 : 0o600)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unwritable(error)
    const got = `one that is edited now: ${named(temporary)} is there (delete it if it was left behind)`
    throw invalid('--trust', 'a file that nobody else edits', got)
  }
}

/** Those who read the file can read it still. */
function makeLike(file: number, path: string): void {
  const { mode, uid, gid } = statSync(path)
  try {
    fchownSync(file, uid, gid)
  } catch (error) {
    // Only root gives files away; whoever else may write here has a file of their own.
    if (codeOf(error) !== 'EPERM') throw error
  }
  fchmodSync(file, mode & 0o777)
}

async function assertWorks(path: string, text: string): Promise<void> {
  try {
    await (await readTrust(`${text}\n`)).close()
  } catch (error) {
    throw inFile('--trust', path, error)
  }
}

function textAt(path: string, isNew: boolean): string | undefined {
  try {
    if (statSync(path).size > LONGEST) throw new Error(`a file of more than ${LONGEST} bytes`)
    return utf8In(readFileSync(path))
  } catch (error) {
    if (isNew && codeOf(error) === 'ENOENT') return undefined
    throw invalid('--trust', 'a file in UTF-8 that can be read', textOf(error))
  }
}

function unwritable(error: unknown): AlvariumError {
  return invalid('--trust', 'a file that can be written', textOf(error))
}

function notEdited(got: string): AlvariumError {
  return invalid('--trust', 'a policy in JSON or YAML', `${got}: edit it with its own tools`)
}

function anchored(): AlvariumError {
  return invalid('--trust', 'signers without YAML anchors', 'anchors: edit the file by hand')
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
  try {
    for (const { path, value } of edits) document.setIn(path, document.createNode(value))
    return document.toString({ lineWidth: 0 })
  } catch {
    throw anchored()
  }
}

function set(value: object, { path, value: next }: Edit): void {
  const parent = path.slice(0, -1).reduce<object>((one, step) => Reflect.get(one, step), value)
  Reflect.set(parent, path.at(-1) as string | number, next)
}
