import { compareTexts } from '../../foundation/base/text/text.js'
import { STEP } from './subsequences.js'

/**
 * Returns places in the order of their values, in steps, because the writer of the values chose how long each comparison takes. Numbers
 * come first, by size, and integers by all of their digits. Texts follow, by their UTF-16 code units. Equal values keep their order.
 *
 * @returns the previous place for each place in that order
 */
export function* orderOf(values: readonly string[]): Generator<void, Uint32Array> {
  const numbers = new Float64Array(values.length)
  const texts: string[] = []
  for (const [at, value] of values.entries()) {
    if (at % STEP === 0) yield
    numbers[at] = numberIn(value)
    texts.push(textOf(value, numbers[at]))
  }
  return yield* merged(Uint32Array.from(numbers.keys()), (one, other) => {
    const [a, b] = [numbers[one] as number, numbers[other] as number]
    if (a !== b) return a < b ? -1 : 1
    const [text, second] = [texts[one] as string, texts[other] as string]
    if (a === Number.POSITIVE_INFINITY) return compareTexts(text, second)
    return Math.sign(a) * (text.length - second.length || compareTexts(text, second))
  })
}

/** Returns a number; infinity for texts, which sort after all numbers. */
function numberIn(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : Number.POSITIVE_INFINITY
}

const INTEGER = /^-?0*([1-9]\d*)$/

/**
 * Returns the text by which equal numbers are compared: texts are unchanged, integers have their digits if a double cannot hold all of
 * them, such as ids of 19 digits.
 */
function textOf(value: string, number: number): string {
  if (number === Number.POSITIVE_INFINITY) return value
  return Number.isSafeInteger(number) ? '' : (INTEGER.exec(value.trim())?.[1] ?? '')
}

/** Sorts by merging, which keeps the order of equal items (D. E. Knuth, The Art of Computer Programming 3, 5.2.4). */
function* merged(
  places: Uint32Array,
  compare: (one: number, other: number) => number,
): Generator<void, Uint32Array> {
  let [from, into]: [Uint32Array, Uint32Array] = [places, new Uint32Array(places.length)]
  for (let width = 1; width < places.length; width *= 2) {
    for (let start = 0; start < places.length; start += 2 * width) {
      const [middle, end] = [start + width, Math.min(start + 2 * width, places.length)]
      let [one, other] = [start, middle]
      for (let at = start; at < end; at++) {
        if (at % STEP === 0) yield
        const isOther =
          other < end && (one === middle || compare(from[one] as number, from[other] as number) > 0)
        into[at] = from[isOther ? other++ : one++] as number
      }
    }
    ;[from, into] = [into, from]
  }
  return from
}
