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
import { isAllowedSigners } from '../../evidence/trust/policy/allowed-signers.js'
import { isJwks } from '../../evidence/trust/policy/jwks.js'
import { MAX_POLICY_BYTES, parsePolicy } from '../../evidence/trust/policy/policy-source.js'
import { AlvariumError, codeOf, needs, textOf } from '../../foundation/base/errors.js'
import { isJson, utf8In } from '../../foundation/base/text/text.js'
import { inFile, invalid, pathText } from '../fault.js'
import { flushNameSync } from '../flush-name-sync.js'
import { joinFirst } from './notes.js'

export interface Edit {
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

export interface EditedPolicy {
  readonly before: string
  readonly after: string
}

const EMPTY = '{\n  "signers": []\n}\n'

/** Trust policy file in JSON or YAML. Edits preserve YAML comments and the JSON indentation. */
export class PolicyFile {
  readonly #path: string
  /** Text of the file; undefined if the file does not exist yet. */
  readonly #text: string | undefined
  readonly policy: Policy

  private constructor(path: string, text: string | undefined, policy: Policy) {
    this.#path = path
    this.#text = text
    this.policy = policy
  }

  /**
   * Opens a trust policy for editing.
   *
   * @param isNew - true if the file may be missing
   */
  static async open(path: string | undefined, isNew = false): Promise<PolicyFile> {
    if (path === undefined) throw needs('--trust', 'the file of a trust policy')
    const text = textAt(path, isNew)
    if (text !== undefined && (await isAllowedSigners(text))) throw notEdited('allowed_signers')
    await assertWorks(path, text ?? EMPTY)
    const policy = await parsePolicy(text ?? EMPTY)
    if (isJwks(policy)) throw notEdited('a JSON Web Key Set')
    return new PolicyFile(path, text, policy as Policy)
  }

  signer(name: string): { readonly at: number; readonly signer: PolicySigner } {
    const { signers } = this.policy
    const at = signers.findIndex((one) => one.name === name)
    if (at >= 0) return { at, signer: signers[at] as PolicySigner }
    throw invalid('name', `one of ${joinFirst(signers.map((one) => one.name))}`, pathText(name))
  }

  /**
   * Applies edits and writes the policy if it is valid. Replaces the file atomically, so that readers see the
   * old or the new policy.
   */
  async edit(edits: readonly Edit[], isDry = false): Promise<EditedPolicy> {
    const before = await inForm(this.#text ?? EMPTY, [])
    const after = await inForm(this.#text ?? EMPTY, edits)
    await assertWorks(this.#path, after)
    await this.#assertNothingElse(edits, after)
    if (!isDry) this.#write(after)
    return { before: this.#text === undefined ? '' : before, after }
  }

  /** Refuses edits that change places outside their paths, because a YAML anchor may share a value with them. */
  async #assertNothingElse(edits: readonly Edit[], after: string): Promise<void> {
    const wanted = JSON.parse(JSON.stringify(this.policy))
    for (const edit of edits) set(wanted, edit)
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(await parsePolicy(after))), wanted)) throw anchorError()
  }

  /** Writes a temporary file and renames it. That file is also the lock: while it exists, other edits fail. */
  #write(text: string): void {
    const path = this.#text === undefined ? this.#path : realpathSync(this.#path)
    const temporary = `${path}.new`
    const file = openNew(temporary, this.#text === undefined)
    try {
      if (textAt(this.#path, true) !== this.#text) {
        throw invalid('--trust', 'a file that nobody else edits', 'a file that changed meanwhile: try again')
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

/**
 * Creates the temporary file.
 *
 * @param isNew - true if there is no policy file yet; otherwise the mode is 0600 until the old file's mode is
 * copied
 */
function openNew(temporary: string, isNew: boolean): number {
  try {
    return openSync(temporary, 'wx', isNew ? 0o644 : 0o600)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unwritable(error)
    const got = `a file that is edited now: ${pathText(temporary)} exists (delete it if no edit is running)`
    throw invalid('--trust', 'a file that nobody else edits', got)
  }
}

/** Copies the owner and mode of the old file, so that the same users can read the new one. */
function makeLike(file: number, path: string): void {
  const { mode, uid, gid } = statSync(path)
  try {
    fchownSync(file, uid, gid)
  } catch (error) {
    // Ignore EPERM, because only root can change the owner. The file then belongs to the user who edited it.
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
    if (statSync(path).size > MAX_POLICY_BYTES)
      throw new Error(`a file of more than ${MAX_POLICY_BYTES} bytes`)
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

function anchorError(): AlvariumError {
  return invalid('--trust', 'signers without YAML anchors', 'anchors: edit the file by hand')
}

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
    throw anchorError()
  }
}

function set(value: object, { path, value: next }: Edit): void {
  const parent = path.slice(0, -1).reduce<object>((one, step) => Reflect.get(one, step), value)
  Reflect.set(parent, path.at(-1) as string | number, next)
}
