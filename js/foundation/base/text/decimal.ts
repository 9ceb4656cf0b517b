/** Parses a decimal number from 0 to 2⁵³ − 1 in its only spelling. Returns undefined for every other text. */
export function readDecimal(text: string): number | undefined {
  if (!/^(0|[1-9]\d{0,15})$/.test(text)) return undefined
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : undefined
}
