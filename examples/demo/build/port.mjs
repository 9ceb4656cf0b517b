/** Default port of the page of `npm run demo`. */
export const PORT = 4180
