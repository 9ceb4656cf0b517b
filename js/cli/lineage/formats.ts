/** Forms of a picture, in a file of their own: help loads nothing that draws. */
export const PICTURE_FORMATS = ['mermaid', 'svg'] as const

/** The form of a picture. */
export type PictureFormat = (typeof PICTURE_FORMATS)[number]
