/** A sentence that users rely on, and the test that shows it. */
export interface Claim {
  /** From the repository's root. */
  readonly page: string
  /** What the page says, word for word as a reader sees it. */
  readonly claim: string
  readonly shownBy: {
    /** From the repository's root. */
    readonly file: string
    /** The title of a test or a group of tests, as the source has it; in Rust the name of the function. */
    readonly test: string
  }
}

/** What a page says, which file shows it, and the title of the test there. */
type Row = readonly [claim: string, file: string, test: string]

/** The claims of one page, in its order. */
export function claimsOf(page: string, rows: readonly Row[]): Claim[] {
  return rows.map(([claim, file, test]) => ({ page, claim, shownBy: { file, test } }))
}
