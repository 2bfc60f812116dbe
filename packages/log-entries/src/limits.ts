/** Limits of an entry. Only numbers, so that contracts and browsers can import them. */

const kibibyte = 1024;

export const entryLimits = {
  batchItemsMax: 10_000, // CONTRACT.md, 4.1
  requestItemsMax: 100_000, // in any format: 10 MiB of entries of 100 bytes
  messageBytesMax: 64 * kibibyte, // CONTRACT.md, 4.1
  metadataDepthMax: 20, // CONTRACT.md, 4.1
  metadataLeavesMax: 256, // CONTRACT.md, 4.1
  metadataKeyBytesMax: 256, // CONTRACT.md, 4.1
  metadataValueBytesMax: 16 * kibibyte, // CONTRACT.md, 4.1
  nameBytesMax: 16 * kibibyte, // resource and parentId: the same as for metadata values
} as const;
