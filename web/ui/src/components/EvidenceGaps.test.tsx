import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { RELEASED, serveKept } from '../testing/answers';
import { show } from '../testing/show';
import { EvidenceGaps } from './EvidenceGaps';

const gaps = <EvidenceGaps trace={RELEASED} needs={{ load_balance_attempts: 'none is drawn' }} />;

it('says that it is not known what was not recorded, where the answer is refused', async () => {
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ error: 'the trace is gone' }), { status: 404 }));
  show(gaps, { trace: 'released', view: 'timeline' });
  const listed = await screen.findByRole('complementary', { name: 'What was not recorded' });
  expect(listed.textContent).toContain('What was not recorded is not known: the trace is gone');
});

it('says nothing of what was recorded', async () => {
  serveKept({ 'traces/released/identity': { evidence: [], shows_wakeups: true, has_wakings: true } });
  show(gaps, { trace: 'released', view: 'timeline' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(screen.queryByRole('complementary')).toBeNull();
});
