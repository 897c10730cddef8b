import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { carryRulePages } from '../logic/rulePages';
import { ArchiveSource } from '../replay/source';
import { show } from '../testing/show';
import { carry } from '../views/replay/stretches';
import { type Archive, stretchOf, unpack } from './archive';
import { answerFrom } from './client';
import { Report } from './Report';

// As the report's build does (`vite.report.config.ts`): the page's own answers take the server's place.
vi.mock('../api/client', () => import('./client'));

const reports = JSON.parse(readFileSync(join(import.meta.dirname, '../testing/reports.json'), 'utf8'));

async function open(name: string, change: (archive: Archive) => Archive = (archive) => archive) {
  const archive = change(await unpack(reports[name].gzip));
  answerFrom(archive);
  carryRulePages(archive.rules);
  carry(archive.trace.id, new ArchiveSource(archive.stretches.map(stretchOf)), archive.episodes);
  vi.stubGlobal('fetch', () => Promise.reject(new Error('a report asks no server')));
  show(<Report archive={archive} />, { trace: archive.trace.id, view: 'verdict' });
  return archive;
}

afterEach(() => {
  document.title = '';
});

it('filled: the verdict, the episodes that it carries in full, and the replay of one', async () => {
  const { episodes } = await open('released');
  expect(await screen.findByText(/^Wasted$/, { selector: 'span' })).toBeTruthy();
  expect(await screen.findByText(new RegExp(`^Episode ${episodes[0]}$`))).toBeTruthy();
  expect(screen.getByRole('region', { name: /^Main reason: / })).toBeTruthy();
  // There is no server that has the documentation.
  expect(document.querySelector('a[href^="docs/"]')).toBeNull();
  expect(screen.getByRole('contentinfo').textContent).toContain('The report carries 1 episode in full');
  expect(document.title).toBe('wastenot: released.duckdb');
  await userEvent.click(screen.getByRole('link', { name: 'Replay' }));
  expect(await screen.findByRole('slider', { name: 'Instant of the trace' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Back to the report' })).toBeTruthy();
});

it('filled: the page of each rule that answers is in it, folded; its name unfolds it', async () => {
  const { rules } = await open('released');
  const section = await screen.findByRole('region', { name: 'Rules of the causes' });
  const pages = [...section.querySelectorAll('details')];
  expect(pages.map(({ id }) => id)).toEqual(Object.keys(rules).map((rule) => `rule-${rule.replace('/', '-')}`));
  expect(pages.some((page) => page.open)).toBe(false);
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(() => {});
  const [link] = await screen.findAllByTitle('What the rule says, its proof and its limits');
  await userEvent.click(link as HTMLElement);
  expect(pages.filter((page) => page.open).map(({ id }) => id)).toEqual([
    expect.stringMatching(new RegExp(`-${link?.textContent}$`)),
  ]);
  expect(scroll).toHaveBeenCalled();
});

it('filled: of a rule whose page it does not carry the file is named', async () => {
  await open('released', (archive) => ({ ...archive, rules: {} }));
  await screen.findByRole('contentinfo');
  const names = await screen.findAllByText(/^docs\/causes\/[a-z_]+\/[a-z-]+\.md$/, { selector: 'code' });
  expect(names.length).toBeGreaterThan(2);
  expect(screen.queryByRole('region', { name: 'Rules of the causes' })).toBeNull();
});

it('filled: it says which recording it is about, in a line and in full', async () => {
  await open('released');
  const about = await screen.findByRole('region', { name: 'About this recording' });
  expect((await within(about).findByText('Command')).nextElementSibling?.textContent).toBe('bash /tmp/workload');
  expect(within(about).getByText('Host').nextElementSibling?.textContent).toBe('not recorded');
  expect(screen.getByRole('button', { name: /^About this recording/ }).textContent).toContain(
    '2026-11-21 16:20:31 UTC · 4.26 s · bash /tmp/workload · Linux 7.2.12+deb13-amd64',
  );
});

it('empty: without episodes it says so', async () => {
  const { episodes } = await open('arm');
  expect(episodes).toEqual([]);
  expect(await screen.findByText('No episode lasted')).toBeTruthy();
  expect(screen.getByRole('contentinfo').textContent).toContain('The report carries 0 episodes in full');
});

it('error: what it does not carry is said in its place, and the rest is shown', async () => {
  await open('released', (archive) => {
    const { [`traces/released/episodes/${archive.episodes[0]}`]: _, ...json } = archive.json;
    return { ...archive, json };
  });
  expect((await screen.findByRole('alert')).textContent).toContain(
    'The report does not carry this; open the trace with `wastenot serve`.',
  );
  expect(screen.getByText(/^Wasted$/, { selector: 'span' })).toBeTruthy();
});

it('error: a report that is damaged cannot be unpacked', async () => {
  await expect(unpack('AAAA')).rejects.toThrow();
});

it('deadlines: where a trace has deadline tasks their misses are in the report, without ways to a timeline that it lacks', async () => {
  await open('late');
  const section = within(await screen.findByRole('region', { name: 'Deadlines' }));
  expect(await section.findByRole('heading', { name: /^1 of 2 deadlines missed/ })).toBeTruthy();
  const misses = within(section.getByRole('table', { name: 'Worst misses' }));
  expect(misses.getByText('own overrun')).toBeTruthy();
  expect(section.getByRole('table', { name: 'Tasks' })).toBeTruthy();
  expect(section.queryByRole('link')).toBeNull();
});

it('no deadlines: where no thread has one the report does not mention them', async () => {
  await open('released');
  expect(await screen.findByText(/^Wasted$/, { selector: 'span' })).toBeTruthy();
  expect(screen.queryByRole('region', { name: 'Deadlines' })).toBeNull();
});

it('a range: its figures come first, it says what is of it and what of the whole trace, and the replay starts there', async () => {
  const archive = await open('range');
  const range = archive.range ?? expect.fail('no range');
  const section = within(await screen.findByRole('region', { name: 'Range of 100 ms, from +0.919 s to +1.019 s' }));
  expect(section.getByText(/^The figures of this section are of this time/).textContent).toContain(
    'The verdict below it, its curve and lists are of the whole trace',
  );
  expect(await section.findByRole('table', { name: 'Waits of the range' })).toBeTruthy();
  const figures = archive.json['traces/released/selection'] as { threads: unknown[] };
  const threads = await section.findByRole('table', { name: 'Threads of the range' });
  expect(within(threads).getAllByRole('row').length).toBe(figures.threads.length + 1);
  expect(within(threads).getAllByRole('cell')[0]?.textContent).toMatch(/^released(-\d+)? \d+$/);
  const { longest } = archive.json['traces/released/latency'] as { longest: unknown[] };
  expect(within(await section.findByRole('table', { name: 'Longest waits' })).getAllByRole('row').length).toBe(
    longest.length + 1,
  );
  expect(section.getAllByRole('link').map((link) => link.textContent)).toEqual(['Replay from its start']);
  expect(section.queryByRole('button')).toBeNull();
  expect(document.querySelector('main > section')?.getAttribute('aria-labelledby')).toBe('range-title');
  await userEvent.click(section.getByRole('link'));
  const instant = await screen.findByRole('slider', { name: 'Instant of the trace' });
  expect(Number(instant.getAttribute('aria-valuenow'))).toBe(range.start - archive.trace.start_ns);
});

it('without a range the page has no such section', async () => {
  await open('released');
  expect(await screen.findByText(/^Wasted$/, { selector: 'span' })).toBeTruthy();
  expect(screen.queryByRole('region', { name: /^Range of/ })).toBeNull();
});
