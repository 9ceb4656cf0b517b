import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tpm } from 'alvarium-sdk'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { opened } from '../support/sdk.js'

const payload = utf8('hello')

describe('the tpm annotator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'alvarium-tpm-'))
  const [socket, file, absent] = ['socket', 'file', 'absent'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const server = createServer()
  const answer = async (paths: string[] | undefined) => {
    const { sdk } = await opened([paths ? tpm({ paths }) : tpm()])
    return (await sdk.create(payload)).bundle.annotations[0]?.isSatisfied
  }

  beforeAll(async () => {
    writeFileSync(file, 'not a device')
    await new Promise<void>((resolve) => server.listen(socket, resolve))
  })
  afterAll(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })

  it('looks again after a second, and not before', async () => {
    const late = join(folder, 'late')
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1000)
    const { sdk } = await opened([tpm({ paths: [late] })])
    const answerAt = async (time: number) => {
      clock.mockReturnValue(time)
      return (await sdk.create(payload)).bundle.annotations[0]?.isSatisfied
    }
    const answers = [await answerAt(1000)]
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(late, resolve))
    answers.push(await answerAt(1999), await answerAt(2000))
    await new Promise((resolve) => other.close(resolve))
    answers.push(await answerAt(2999), await answerAt(3000))
    clock.mockRestore()
    expect(answers).toEqual([false, false, true, true, false])
  })

  it('is satisfied by a socket', async () => expect(await answer([socket])).toBe(true))
  it('is satisfied by a character device', async () => expect(await answer(['/dev/null'])).toBe(true))
  it('is satisfied when any of its paths is there', async () =>
    expect(await answer([absent, socket])).toBe(true))
  it('is not satisfied by nothing', async () => expect(await answer([absent])).toBe(false))
  it('is not satisfied by an ordinary file', async () => expect(await answer([file])).toBe(false))
  it('is not satisfied by a folder', async () => expect(await answer([folder])).toBe(false))
  it('is not satisfied without paths', async () => expect(await answer([])).toBe(false))
  it('is not satisfied by what lies behind a file', async () =>
    expect(await answer([join(file, 'x')])).toBe(false))
})
