import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseRulePage } from './rulePages';

const CAUSES = join(import.meta.dirname, '../../../../docs/causes');

it('every page of docs/causes is read whole: its words are those of its Markdown, in order', () => {
  const files = readdirSync(CAUSES, { recursive: true, encoding: 'utf8' }).filter((name) => /\/.*\.md$/.test(name));
  expect(files.length).toBeGreaterThan(50);
  for (const file of files) {
    const text = readFileSync(join(CAUSES, file), 'utf8');
    const page = parseRulePage(text);
    expect(file.endsWith(`${page.name}.md`), file).toBe(true);
    expect(page.sections.length, file).toBeGreaterThan(4);
    const shown = [
      page.name,
      page.about,
      ...page.sections.flatMap(({ title, paragraphs, items }) => [title, ...paragraphs, ...items]),
    ];
    const words = text
      .replace(/<!--.*-->/, '')
      .replace(' Terms: [glossary](../../glossary.md).', '')
      .replaceAll(/^(?:#+|-) /gm, '')
      .split('\n')
      .filter((line) => line !== '');
    expect(shown, file).toEqual(words);
    expect(shown.join(' '), file).not.toMatch(/\]\(|\*\*|^\|/);
  }
});

it('links become their words', () => {
  const { about, sections } = parseRulePage('# a\n\nq: w; all. Terms: [glossary](x.md).\n\n## b\n\nSee [c](d.md).');
  expect([about, sections[0]?.paragraphs]).toEqual(['q: w; all.', ['See c.']]);
});
