/** Prevents the browser from opening a file that the visitor drops outside the fields for files. */
export function keepPage(): void {
  for (const name of ['dragover', 'drop'] as const) {
    document.addEventListener(name, (event) => event.preventDefault())
  }
}
