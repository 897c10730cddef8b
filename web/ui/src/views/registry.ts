// The views: a folder each, whose `index.tsx` exports the component as default. A view is loaded when it is first shown.

import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
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
  verdict: { title: 'Verdict', Component: lazy(() => import('./verdict')) },
  timeline: { title: 'Timeline', Component: lazy(() => import('./timeline')) },
  replay: { title: 'Replay', Component: lazy(() => import('./replay')) },
  episodes: { title: 'Episodes', Component: lazy(() => import('./episode')) },
  threads: { title: 'Threads', Component: lazy(() => import('./threads')) },
  sql: { title: 'SQL', Component: lazy(() => import('./sql')) },
  compare: { title: 'Compare', Component: lazy(() => import('./compare')) },
};
