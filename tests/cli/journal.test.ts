// @internal: when a file ends before its calls is a matter of moments
// @node-only: the command runs in Node

import type { Receipt } from 'alvarium-sdk'
import { expect, it } from 'vitest'
import { FileCourse } from '../../dist/cli/annotate/journal.js'

const receipt = (key: string) => ({ bundle: { key, hash: 'sha256' } }) as Receipt

it('--resume counts a file as done only after all calls about the file were accepted', () => {
  const course = new FileCourse(undefined)
  const state = { bytes: 7, modifiedMs: 1_700_000_000_000 }
  expect(course.progress).toEqual({ payloads: 0, lastKey: '', hash: 'sha256' })
  course.begin()
  course.begin()
  course.add(receipt('A'))
  course.end(state)
  expect(course.progress).toEqual({ payloads: 1, lastKey: 'A', hash: 'sha256' })
  course.add(receipt('B'))
  const done = { payloads: 2, lastKey: 'B', hash: 'sha256', ...state }
  expect(course.progress).toEqual(done)
  expect(new FileCourse(done as never).progress).toEqual({ payloads: 2, lastKey: 'B', hash: 'sha256' })
})
