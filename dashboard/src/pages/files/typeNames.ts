/** What types of files are called. */

export const typeNames = { image: 'Images', video: 'Videos', audio: 'Audio' } as const;
