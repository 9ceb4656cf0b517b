/** Keeps a file that is dropped beside what takes files from replacing the page; see `panels/verify/verify.tsx` for who takes it. */
export function keepPage(): void {
  for (const name of ['dragover', 'drop'] as const) {
    document.addEventListener(name, (event) => event.preventDefault())
  }
}
