import { expect, it } from 'vitest'
import { packedText } from '../../js/build/package/texts.mjs'

const files = new Set(['README.md', 'examples/guide/keys.md'])
const textIn = (text: string, homepage = 'https://example.invalid/sdk#readme') =>
  packedText(text, { path: 'examples/guide/keys.md', files, homepage })

it.each([
  '[a](../../README.md#speed), [b](#place), [c](https://example.com/x) and [d](mailto:a@example.com)',
  '![a picture](keys.md)',
])('a text in a package keeps links to files in it, to places and to servers: %s', (text) => {
  expect(textIn(text)).toBe(text)
})

it('a link to a file that is not in the package is text while the repository has no address', () => {
  expect(textIn('See [its `figures` [1]](../../bench/README.md#store), ![a picture](x.gif).')).toBe(
    'See its `figures` [1] (in the repository), a picture.',
  )
})

it('a link to a file that is not in the package leads to the repository once that has an address', () => {
  expect(textIn('[figures](../../bench/README.md#store)', 'https://github.com/a/sdk#readme')).toBe(
    '[figures](https://github.com/a/sdk/blob/HEAD/bench/README.md#store)',
  )
})
