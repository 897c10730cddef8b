// The views: a folder each, whose `index.tsx` exports the component as default. A view is loaded when it is first shown.

import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { part } from '../api/parts';
import type { TraceSummary } from '../api/types';
import type { View } from '../logic/place';

/** A view gets the trace; everything else it reads from the place (`usePlace`) and the server (`api/hooks`). */
export interface ViewProps {
  trace: TraceSummary;
}

interface ViewPart {
  title: string;
  Component: LazyExoticComponent<ComponentType<ViewProps>>;
}

export const VIEW_PARTS: Record<View, ViewPart> = {
  verdict: { title: 'Verdict', Component: lazy(() => part(() => import('./verdict'))) },
  timeline: { title: 'Timeline', Component: lazy(() => part(() => import('./timeline'))) },
  replay: { title: 'Replay', Component: lazy(() => part(() => import('./replay'))) },
  episodes: { title: 'Episodes', Component: lazy(() => part(() => import('./episode'))) },
  threads: { title: 'Threads', Component: lazy(() => part(() => import('./threads'))) },
  latency: { title: 'Latency', Component: lazy(() => part(() => import('./latency'))) },
  sql: { title: 'SQL', Component: lazy(() => part(() => import('./sql'))) },
  compare: { title: 'Compare', Component: lazy(() => part(() => import('./compare'))) },
  balance: { title: 'Balance', Component: lazy(() => part(() => import('./balance'))) },
  deadlines: { title: 'Deadlines', Component: lazy(() => part(() => import('./deadlines'))) },
};
