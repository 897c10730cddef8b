// Pages of docs/causes that a report carries, by `question/rule`: there is no server that has them.

export interface RulePage {
  name: string;
  /** Which question it answers, and of which releases. */
  about: string;
  sections: { title: string; paragraphs: string[]; items: string[] }[];
}

/** A page as the generator of docs/causes writes it: headings, paragraphs, lists. Links become their words, that to the glossary nothing. */
export function parseRulePage(markdown: string): RulePage {
  const page: RulePage = { name: '', about: '', sections: [] };
  for (const line of markdown.split('\n').map(withoutLinks)) {
    const section = page.sections.at(-1);
    if (line === '' || line.startsWith('<!--')) continue;
    if (line.startsWith('## ')) page.sections.push({ title: line.slice(3), paragraphs: [], items: [] });
    else if (line.startsWith('# ')) page.name = line.slice(2);
    else if (section === undefined) page.about = line;
    else if (line.startsWith('- ')) section.items.push(line.slice(2));
    else section.paragraphs.push(line);
  }
  return page;
}

const withoutLinks = (line: string): string =>
  line
    .replace(/ Terms: \[glossary\]\([^)]*\)\./, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim();

let carried: Readonly<Record<string, string>> = {};

/** Makes these the pages that there are: `question/rule` to Markdown. */
export function carryRulePages(pages: Readonly<Record<string, string>>): void {
  carried = pages;
}

export const hasRulePage = (question: string, rule: string): boolean => `${question}/${rule}` in carried;

/** Where a page is in the report. */
export const rulePageId = (question: string, rule: string): string => `rule-${question}-${rule}`;
