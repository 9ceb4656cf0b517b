/** Shows links to the source and the guide, from the package's `homepage` and `repository`, see `vite.config.js`. */
export function Links() {
  const { repository, guide } = __LINKS__
  if (!repository && !guide) return null
  return (
    <nav class="out-links" aria-label="Elsewhere">
      {repository && <a href={repository}>Source</a>}
      {guide && <a href={guide}>Guide</a>}
    </nav>
  )
}
