/** Where the source and the guide are: the package's `homepage` and `repository`, see `vite.config.js`. */
export function Links() {
  return (
    <nav class="out-links" aria-label="Elsewhere">
      <a href={__LINKS__.repository}>Source</a>
      <a href={__LINKS__.guide}>Guide</a>
    </nav>
  )
}
