import { compareTexts } from '../base/text/text.js'
import { STEP } from './subsequences.js'

/**
 * Places in the order of their values: numbers by size, integers by all of their digits, then texts by their UTF-16 code units; those that are alike as they stand.
 * In steps: whoever wrote the values chose how long each comparison takes.
 *
 * @returns for each place in that order, which one it was
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

/** Texts stand behind all numbers. */
function numberIn(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : Number.POSITIVE_INFINITY
}

const INTEGER = /^-?0*([1-9]\d*)$/

/** By what values of one number are compared: texts as they are, and integers by their digits where a double has not all of them, as of ids of 19. */
function textOf(value: string, number: number): string {
  if (number === Number.POSITIVE_INFINITY) return value
  return Number.isSafeInteger(number) ? '' : (INTEGER.exec(value.trim())?.[1] ?? '')
}

/** Merge sort, which keeps the order of what is alike (D. E. Knuth, The Art of Computer Programming 3, 5.2.4). */
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
