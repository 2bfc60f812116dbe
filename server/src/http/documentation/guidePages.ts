/** Turns the guides of the repository into pages. Their examples show the service's address. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Guide, writeGuide } from '@tapedeck/guides';
import { readCatalogue } from '@tapedeck/guides/files';
import { type PageFrame, readSections, type Section, writeMarkdownPage } from '@tapedeck/guides/pages';
import type { SearchEntry } from '@tapedeck/guides/reference';
import { computeOnce } from './lazyValue.ts';

const toolsFolder = 'connect';
const exampleAddresses = ['https://media.example.org', 'http://localhost:8787']; // replaced by the service's own address

export type GuidePages = {
  list: readonly { url: string; title: string; folder: string }[];
  pictures: readonly { url: string; file: string }[];
  write(url: string, frame: PageFrame): string;
  /** The Markdown behind the page of `write`. */
  writeMarkdown(url: string): string;
  read(file: string): Promise<Buffer>;
  /** Lists every section of every guide, for the search. */
  entries(): SearchEntry[];
};

type Source = { url: string; folder: string; file: string; markdown: string; guide: Guide | null };

/** Reads sections when they are first shown. Reading all guides takes a tenth of a second. */
class Page {
  readonly url: string;
  readonly folder: string;
  readonly file: string;
  readonly markdown: string;
  readonly guide: Guide | null;
  readonly sections: () => readonly Section[];

  constructor({ url, folder, file, markdown, guide }: Source) {
    this.url = url;
    this.folder = folder;
    this.file = file;
    this.markdown = markdown;
    this.guide = guide;
    this.sections = computeOnce(() => readSections(markdown));
  }

  get title(): string {
    return this.sections()[0]?.title ?? this.file;
  }
}

export async function openGuidePages(directory: string, address: { publicUrl: string }): Promise<GuidePages> {
  const files = (await readdir(directory, { recursive: true })).map(file => file.replaceAll('\\', '/'));
  const known = new Set(files);
  const { guides } = readCatalogue(path.join(directory, toolsFolder));
  const pages = new Map<string, Page>();
  for (const file of files.filter(each => each.endsWith('.md'))) {
    const folder = path.posix.dirname(file);
    const guide = folder === toolsFolder ? findGuide(guides, file) : null;
    const markdown = guide?.text ?? (await readFile(path.join(directory, file), 'utf8'));
    const url = locateGuide(file);
    pages.set(url, new Page({ url, folder, file, markdown, guide }));
  }
  const findPage = (url: string) => {
    const page = pages.get(url);
    if (page === undefined) throw new Error(`There is no guide at ${url}.`);
    return page;
  };
  return {
    list: [...pages.values()],
    pictures: files.filter(file => file.endsWith('.svg')).map(file => ({ url: `/docs/${file}`, file })),
    read: file => readFile(path.join(directory, file)),
    write: (url, frame) => {
      const page = findPage(url);
      return writeMarkdownPage(writePageMarkdown(page, address.publicUrl), {
        ...frame,
        markdownUrl: `${url}.md`,
        findLink: target => locateLink(known, page.file, target),
      });
    },
    writeMarkdown: url => writePageMarkdown(findPage(url), address.publicUrl),
    entries: () =>
      [...pages.values()].flatMap(page =>
        page.sections().map(({ title, id, text }, index) => ({
          title: index === 0 ? page.title : `${page.title}: ${title}`,
          url: index === 0 ? page.url : `${page.url}#${id}`,
          text: text.replaceAll(placeholders, ''),
        })),
      ),
  };
}

function findGuide(guides: readonly Guide[], file: string): Guide | null {
  return guides.find(({ id }) => `${toolsFolder}/${id}.md` === file) ?? null;
}

function writePageMarkdown({ guide, markdown }: Page, address: string): string {
  return guide === null ? fillAddress(markdown, address) : writeGuide(guide, address);
}

/** Puts the service's address into the examples of a guide. */
function fillAddress(markdown: string, address: string): string {
  return exampleAddresses.reduce((text, each) => text.replaceAll(each, address), markdown);
}

const placeholders = /\{\{\w+\}\}/g; // a guide to a tool has them in its examples

const locateGuide = (file: string) => `/docs/${file.replace(/\.md$/, '')}`;

/** Finds the URL of a guide or picture that a guide links to; null: the link leads out of the folder. */
function locateLink(known: ReadonlySet<string>, from: string, target: string): string | null {
  const [, relative = '', place = ''] = /^([^#]*)(#.*)?$/.exec(target) ?? [];
  const file = path.posix.join(path.posix.dirname(from), relative);
  return known.has(file) ? locateGuide(file) + place : null;
}
