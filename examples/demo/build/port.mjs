/** Port of the page that `npm run demo` serves. */
export const PORT = 4180
