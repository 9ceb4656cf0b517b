/** Version of this package, the same as in package.json. A release changes both places. */
export const VERSION = '0.1.0'
