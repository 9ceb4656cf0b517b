/** Formats of a picture. This file is separate, so that `--help` does not load the drawing code. */
export const PICTURE_FORMATS = ['mermaid', 'svg'] as const

export type PictureFormat = (typeof PICTURE_FORMATS)[number]
