// The terms of docs/glossary.md, which is part of the build: the help shows them without a network, and hints quote them.

import page from '../../../../docs/glossary.md?raw';

export interface Term {
  name: string;
  meaning: string;
}

export interface TermGroup {
  title: string;
  terms: readonly Term[];
}

/** Text without Markdown's code marks, and with the words of a link instead of it. */
const plain = (markdown: string): string =>
  markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .trim();

/** The tables of a glossary: a heading each, and rows of term, meaning and source. */
export function parseGlossary(markdown: string): TermGroup[] {
  const groups: { title: string; terms: Term[] }[] = [];
  for (const line of markdown.split('\n')) {
    if (line.startsWith('## ')) groups.push({ title: line.slice(3).trim(), terms: [] });
    const [, name, meaning] = /^\| (.+?) \| (.+?) \| .* \|$/.exec(line) ?? [];
    if (!name || !meaning || name === 'term' || name === '---') continue;
    groups.at(-1)?.terms.push({ name: plain(name).replaceAll('_', ' '), meaning: plain(meaning) });
  }
  return groups.filter(({ terms }) => terms.length > 0);
}

export const GLOSSARY: readonly TermGroup[] = parseGlossary(page);

const meanings = new Map(GLOSSARY.flatMap(({ terms }) => terms.map(({ name, meaning }) => [name, meaning])));

/** What a term of the glossary means; undefined for one that it lacks. Underscores are spaces. */
export const meaningOf = (term: string): string | undefined => meanings.get(term.replaceAll('_', ' '));
