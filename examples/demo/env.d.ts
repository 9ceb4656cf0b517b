/** Which of the two builds this is, see `vite.config.js`. */
declare const __TRANSPORT__: 'broker' | 'in-page'
