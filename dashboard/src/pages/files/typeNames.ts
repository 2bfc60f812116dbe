/** Names of the file types. */

export const typeNames = { image: 'Images', video: 'Videos', audio: 'Audio' } as const;
