/** Owner of a policy. */
export type Whose = 'reader' | 'pack'
