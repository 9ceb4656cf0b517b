/** Version in package.json, which a release changes in both places. */
export const VERSION = '0.1.0'
