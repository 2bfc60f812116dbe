/** Renders the blocks of a guide: headings, paragraphs, lists, tables and code, line by line. */
import { escapeHtml, type FindLink, nameHeading, readPlain, renderInlineText } from './inlineText.ts';

type Rendered = { title: string; html: string };

export function renderBlocks(markdown: string, findLink: FindLink): Rendered {
  const reader = new Reader(markdown.replace(/\r/g, '').split('\n'), findLink);
  return { html: reader.read(), title: reader.title };
}

const starts = {
  heading: /^(#{1,6})\s+(.*)$/,
  fence: /^\s*```/,
  bullet: /^\s*[-*]\s+/,
  number: /^\s*\d+\.\s+/,
  row: /^\s*\|/,
  rule: /^\s*\|?[\s|:-]+\|[\s|:-]*$/,
  comment: /^<!--.*-->$/,
} as const;

class Reader {
  title = '';
  readonly #lines: readonly string[];
  readonly #findLink: FindLink;
  readonly #names = new Set<string>();
  #next = 0;

  constructor(lines: readonly string[], findLink: FindLink) {
    this.#lines = lines;
    this.#findLink = findLink;
  }

  read(): string {
    const html: string[] = [];
    while (this.#next < this.#lines.length) {
      const line = this.#lines[this.#next]!;
      if (line.trim() === '' || starts.comment.test(line.trim())) this.#next++;
      else html.push(this.#readBlock(line));
    }
    return html.join('\n');
  }

  #readBlock(line: string): string {
    if (starts.fence.test(line)) return this.#readCode();
    if (starts.heading.test(line)) return this.#readHeading(line);
    if (starts.bullet.test(line)) return this.#readList('ul', starts.bullet);
    if (starts.number.test(line)) return this.#readList('ol', starts.number);
    if (starts.row.test(line)) return this.#readTable();
    return `<p>${this.#span(this.#takeParagraph().join('\n'))}</p>`;
  }

  #readHeading(line: string): string {
    this.#next++;
    const [, signs = '#', text = ''] = starts.heading.exec(line) ?? [];
    const level = signs.length;
    if (this.title === '') this.title = readPlain(text);
    return `<h${level} id="${this.#nameOnce(text)}">${this.#span(text)}</h${level}>`;
  }

  #nameOnce(text: string): string {
    const name = nameHeading(text);
    let own = name;
    for (let number = 1; this.#names.has(own); number++) own = `${name}-${number}`;
    this.#names.add(own);
    return escapeHtml(own);
  }

  #readCode(): string {
    const code: string[] = [];
    for (this.#next++; this.#next < this.#lines.length; this.#next++) {
      if (starts.fence.test(this.#lines[this.#next]!)) break;
      code.push(this.#lines[this.#next]!);
    }
    this.#next++;
    return `<pre tabindex="0"><code>${escapeHtml(code.join('\n'))}</code></pre>`;
  }

  /** An indented line continues the item before it. */
  #readList(tag: 'ul' | 'ol', start: RegExp): string {
    const items: string[] = [];
    for (; this.#next < this.#lines.length; this.#next++) {
      const line = this.#lines[this.#next]!;
      if (start.test(line)) items.push(line.replace(start, ''));
      else if (/^\s+\S/.test(line)) items.push(`${items.pop() ?? ''}\n${line.trim()}`);
      else break;
    }
    return `<${tag}>${items.map(item => `<li>${this.#span(item)}</li>`).join('')}</${tag}>`;
  }

  #readTable(): string {
    const rows: string[][] = [];
    let hasHead = false;
    for (; this.#next < this.#lines.length && starts.row.test(this.#lines[this.#next]!); this.#next++) {
      const line = this.#lines[this.#next]!;
      if (rows.length === 1 && starts.rule.test(line)) hasHead = true;
      else rows.push(splitRow(line));
    }
    const write = (cells: readonly string[], tag: 'td' | 'th') =>
      `<tr>${cells.map(cell => `<${tag}>${this.#span(cell)}</${tag}>`).join('')}</tr>`;
    const head = hasHead ? `<thead>${write(rows.shift() ?? [], 'th')}</thead>` : '';
    const body = rows.map(cells => write(cells, 'td')).join('');
    return `<div class="table" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>`;
  }

  #takeParagraph(): string[] {
    const lines: string[] = [];
    const others = [starts.heading, starts.fence, starts.row];
    for (; this.#next < this.#lines.length; this.#next++) {
      const line = this.#lines[this.#next]!;
      if (line.trim() === '' || others.some(start => start.test(line))) break;
      lines.push(line.trim());
    }
    return lines;
  }

  #span(text: string): string {
    return renderInlineText(text, this.#findLink);
  }
}

/** A `|` in code or after a backslash does not separate cells. */
function splitRow(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  const cells = inner.match(/(?:`[^`]*`|\\.|[^|])+/g) ?? [];
  return cells.map(cell => cell.trim().replaceAll('\\|', '|'));
}
