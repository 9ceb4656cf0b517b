/**
 * Keeps a file that is dropped outside the fields for files from replacing the page; see `panels/verify/verify.tsx` for
 * these fields.
 */
export function keepPage(): void {
  for (const name of ['dragover', 'drop'] as const) {
    document.addEventListener(name, (event) => event.preventDefault())
  }
}
