/**
 * Returns the packages that npm installs with some packages, by package-lock.json: themselves, and all their
 * dependencies.
 *
 * @param {Record<string, { dependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }>} packages of the lock
 * @param {readonly string[]} paths in it: `node_modules/mqtt`
 * @returns {string[]} their paths
 */
export function installedWith(packages, paths) {
  const found = new Set(paths)
  for (const path of found) {
    const { dependencies, optionalDependencies } = packages[path]
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = placeOf(packages, path, name)
      if (place) found.add(place)
    }
  }
  return [...found]
}

/** Returns the place of a dependency: the package's own folder, or the nearest folder around it that has one. */
function placeOf(packages, path, name) {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (packages[`${at}/node_modules/${name}`]) return `${at}/node_modules/${name}`
  }
  return packages[`node_modules/${name}`] && `node_modules/${name}`
}
