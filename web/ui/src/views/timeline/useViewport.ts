// The viewport and the place's window, each following the other.

import { useEffect, useMemo, useRef } from 'react';
import type { TraceSummary } from '../../api/types';
import { atRest } from '../../logic/rest';
import { adjust, placeNow, usePlace } from '../../navigation';
import { Viewport } from './viewport';

const SETTLE_MS = 220;

export function useViewport(trace: TraceSummary): Viewport {
  const { window: wanted } = usePlace();
  const viewport = useMemo(() => {
    const bounds = { start: trace.start_ns, end: trace.end_ns };
    return new Viewport(bounds, placeNow().window);
  }, [trace]);
  const written = useRef<string>(keyOf(placeNow().window));

  useEffect(() => {
    const write = () => {
      const { start, end } = viewport.span;
      const whole = start <= viewport.bounds.start && end >= viewport.bounds.end;
      const window = whole ? null : { start: Math.round(start), end: Math.max(Math.round(end), Math.round(start) + 1) };
      written.current = keyOf(window);
      adjust({ window });
    };
    const rest = atRest(SETTLE_MS, write);
    const leave = viewport.subscribe(rest.moved);
    return () => {
      rest.cancel();
      leave();
    };
  }, [viewport]);

  useEffect(() => {
    const key = keyOf(wanted);
    if (key === written.current) return;
    written.current = key;
    viewport.glide(wanted ?? viewport.bounds);
  }, [wanted, viewport]);
  return viewport;
}

const keyOf = (span: { start: number; end: number } | null) => (span ? `${span.start}-${span.end}` : '');
