/** Smaller WebP pictures of images, made when they are first asked for. */

export const variantWidths = [320, 640, 960, 1280, 1920] as const; // CONTRACT.md, 3
export type VariantWidth = (typeof variantWidths)[number];
