/** Where the JSON string that begins at `at` ends: behind its closing quotation mark, or with the text. */
export function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end + 1
  }
  return text.length
}

/** How many strings there are in a valid JSON text, names of members included. */
export function stringCount(json: string): number {
  let count = 0
  for (let at = json.indexOf('"'); at >= 0; at = json.indexOf('"', stringEnd(json, at))) count++
  return count
}
