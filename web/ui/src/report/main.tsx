// A report: one page that carries what it shows. It sends no request.

import '../styles/tokens.css';
import '../styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { queries } from '../api/hooks';
import { carryRulePages } from '../logic/rulePages';
import { placeNow } from '../navigation';
import { ArchiveSource } from '../replay/source';
import { applyShade, shadeOf } from '../theme';
import { carry } from '../views/replay/stretches';
import { stretchOf, unpack } from './archive';
import { answerFrom } from './client';
import { Report } from './Report';

const root = document.getElementById('root') as HTMLElement;

async function start(): Promise<void> {
  const archive = await unpack(document.getElementById('archive')?.textContent ?? '');
  answerFrom(archive);
  carry(archive.trace.id, new ArchiveSource(archive.stretches.map(stretchOf)), archive.episodes);
  carryRulePages(archive.rules);
  applyShade(shadeOf(placeNow().theme));
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <Report archive={archive} />
    </QueryClientProvider>,
  );
}

start().catch((error: unknown) => {
  root.textContent = `This report cannot be shown: ${error instanceof Error ? error.message : String(error)}. It needs a browser of 2023 or later.`;
});
