/** Formats of a picture. They have their own file, because help must not load the code that draws. */
export const PICTURE_FORMATS = ['mermaid', 'svg'] as const

export type PictureFormat = (typeof PICTURE_FORMATS)[number]
