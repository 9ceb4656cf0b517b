// @node-only: it uses node:fs, node:net, node:os, node:path

import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tpm } from 'alvarium-sdk'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { answerOf } from '../support/answer.js'
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

  it('caches the answer for a second, and then reads the path again', async () => {
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
  it('is satisfied when any of its paths is a device', async () =>
    expect(await answer([absent, socket])).toBe(true))
  it('reports an unreadable path, unless another path is a device', async () => {
    const loop = join(folder, 'loop')
    symlinkSync(loop, loop)
    expect(await answer([loop, socket])).toBe(true)
    expect(await answerOf(tpm({ paths: [loop, absent] }))).toContain('ELOOP')
  })
  it('is not satisfied by a path without a file', async () => expect(await answer([absent])).toBe(false))
  it('is not satisfied by an ordinary file', async () => expect(await answer([file])).toBe(false))
  it('is not satisfied by a folder', async () => expect(await answer([folder])).toBe(false))
  it('is not satisfied without paths', async () => expect(await answer([])).toBe(false))
  it('is not satisfied by a path below a file', async () =>
    expect(await answer([join(file, 'x')])).toBe(false))

  describe('on Windows', () => {
    const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {}
    const root = join(folder, 'Windows')
    const tool = join(root, 'System32', 'tpmtool.exe')
    beforeAll(() => {
      mkdirSync(join(root, 'System32'), { recursive: true })
      Object.defineProperty(process, 'platform', { ...platform, value: 'win32' })
      vi.stubEnv('SystemRoot', root)
    })
    afterAll(() => {
      Object.defineProperty(process, 'platform', platform)
      vi.unstubAllEnvs()
    })

    /** Returns the annotator's result with a stand-in for tpmtool, which only Windows has. */
    async function found(said: string, status = 0, options?: { paths: string[] }) {
      writeFileSync(
        tool,
        `#!/bin/sh\n[ "$1" = getdeviceinformation ] && printf '%s\\n' "${said}"\nexit ${status}\n`,
      )
      chmodSync(tool, 0o755)
      return answerOf(tpm(options))
    }

    it('is satisfied when tpmtool reports a TPM', async () => {
      expect(await found('-TPM Present: True\n-TPM Version: 2.0')).toBe(true)
      expect(await found('TPM Present: Yes')).toBe(true)
    })

    it('is not satisfied when tpmtool reports that there is no TPM', async () => {
      expect(await found('-TPM Present: False\n-TPM Version: Yes')).toBe(false)
    })

    it('reports unexpected output of tpmtool, such as that of a Windows in another language', async () => {
      const said = 'expected TPM Present: True or False, got "'
      expect(await found('-TPM vorhanden: Wahr')).toContain(`${said}-TPM vorhanden: Wahr`)
      expect(await found('')).toContain(said)
    })

    it('reports a tpmtool that fails or is missing', async () => {
      expect(await found('TPM Present: Yes', 1)).toContain('Command failed')
      rmSync(tool)
      expect(await answerOf(tpm())).toContain('ENOENT')
    })

    it('reads the paths in its options instead of running tpmtool', async () => {
      expect(await found('TPM Present: Yes', 0, { paths: [absent] })).toBe(false)
    })
  })
})
