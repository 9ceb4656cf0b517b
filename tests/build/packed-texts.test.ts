import { expect, it } from 'vitest'
import { packedText } from '../../js/build/package/texts.mjs'

const files = new Set(['README.md', 'examples/guide/keys.md'])
const textIn = (text: string, homepage = 'https://example.invalid/sdk#readme') =>
  packedText(text, { path: 'examples/guide/keys.md', files, homepage })

it.each([
  '[a](../../README.md#speed), [b](#place), [c](https://example.com/x) and [d](mailto:a@example.com)',
  '![a picture](keys.md)',
])('the text of a packaged page keeps links to packaged files, anchors and servers: %s', (text) => {
  expect(textIn(text)).toBe(text)
})

it('a link to an unpackaged file becomes plain text while package.json names no repository', () => {
  expect(textIn('See [its `figures` [1]](../../bench/README.md#store), ![a picture](x.gif).')).toBe(
    'See its `figures` [1] (in the repository), a picture.',
  )
})

it('a link to an unpackaged file leads to the repository that package.json names', () => {
  expect(textIn('[figures](../../bench/README.md#store)', 'https://github.com/a/sdk#readme')).toBe(
    '[figures](https://github.com/a/sdk/blob/HEAD/bench/README.md#store)',
  )
})
