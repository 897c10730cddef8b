// Two strips: the whole trace with its wasted cores and episodes, and what is around this instant.

import { type PointerEvent, type RefObject, useEffect, useMemo, useRef } from 'react';
import type { Span } from '../../logic/place';
import type { ReplayColours } from '../../replay/colours';
import { peakOf } from '../../replay/curve';
import { cursorAt } from '../../replay/moves';
import type { Player } from '../../replay/player';
import type { StretchStore } from '../../replay/store';
import { type FigureFeed, useFigures } from './figureFeed';
import { clockText } from './Readout';
import styles from './Replay.module.css';
import type { EpisodeMark, ReplayData } from './useReplayData';
import { useElementSize } from './useStage';

/** The strip around this instant shows so many seconds of watching. */
const AROUND_S = 12;
/** Parts of the window by which a time without data is skipped. */
const SKIPS = 64;

const STRIP_HEIGHT = 34;

const SEVERITIES_SHOWN = ['persistent', 'lasting'];

/** Wastes worth a mark, each once: the graver ones, or all where there are none. */
export function marked(episodes: readonly EpisodeMark[]): EpisodeMark[] {
  const wastes = episodes.filter((e) => !e.isPart);
  const grave = wastes.filter((e) => SEVERITIES_SHOWN.includes(e.severity));
  return grave.length > 0 ? grave : wastes;
}

export function ReplayOverview({
  data,
  figureFeed,
  onSeek,
}: {
  data: ReplayData;
  figureFeed: FigureFeed;
  onSeek: (at: number) => void;
}) {
  const now = useFigures(figureFeed);
  const box = useRef<HTMLDivElement>(null);
  const { width } = useElementSize(box);
  const { span, curve } = data;
  const long = span.end - span.start;
  const paths = useMemo(() => {
    const n = curve.start.length;
    if (width < 2 || n === 0) return null;
    const peak = peakOf(curve.most);
    const x = (at: number) => ((at - span.start) / long) * width;
    const y = (v: number) => STRIP_HEIGHT - 1 - (v / Math.max(peak, 1)) * (STRIP_HEIGHT - 5);
    const line = (values: Float64Array) => {
      let d = `M0 ${STRIP_HEIGHT}`;
      for (let i = 0; i < n; i++) {
        const right = i + 1 < n ? (curve.start[i + 1] as number) : span.end;
        const top = y(values[i] as number).toFixed(1);
        d += `L${x(curve.start[i] as number).toFixed(1)} ${top}L${x(right).toFixed(1)} ${top}`;
      }
      return `${d}L${width} ${STRIP_HEIGHT}Z`;
    };
    return { mean: line(curve.wasted), most: line(curve.most), peak };
  }, [curve, span, long, width]);
  const marks = useMemo(() => marked(data.episodes), [data.episodes]);
  const at = (e: PointerEvent) => {
    const r = (e.currentTarget as HTMLElement).getBoundingClientRect();
    onSeek(span.start + Math.min(1, Math.max(0, (e.clientX - r.left) / r.width)) * long);
  };
  const key = (e: React.KeyboardEvent) => {
    const by = { ArrowLeft: -0.01, ArrowRight: 0.01, PageDown: -0.1, PageUp: 0.1 }[e.key];
    if (by !== undefined && !e.shiftKey) onSeek(now.at + by * long);
    else if (e.key === 'Home') onSeek(span.start);
    else if (e.key === 'End') onSeek(span.end);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  return (
    <div
      ref={box}
      className={styles.overview}
      role="slider"
      tabIndex={0}
      aria-label="Instant of the trace"
      aria-valuemin={0}
      aria-valuemax={long}
      aria-valuenow={Math.round(now.at)}
      aria-valuetext={`${clockText(now.at)} s, ${now.known ? now.wasted : 'not known how many'} cores wasted`}
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
        at(e);
      }}
      onPointerMove={(e) => e.buttons === 1 && at(e)}
      onKeyDown={key}
    >
      <svg width={width} height={STRIP_HEIGHT} aria-hidden="true">
        {paths && (
          <>
            <path d={paths.most} className={styles.most} />
            <path d={paths.mean} className={styles.mean} />
          </>
        )}
      </svg>
      {data.source.parts && <ReportParts parts={data.source.parts} span={span} />}
      <div className={styles.marks} aria-hidden="true">
        {marks.map((e) => (
          <i
            key={e.id}
            data-on={now.episodes.includes(e.id)}
            style={{ left: `${((e.start - span.start) / long) * 100}%`, width: `${((e.end - e.start) / long) * 100}%` }}
          />
        ))}
      </div>
      <div className={styles.head} style={{ transform: `translateX(${((now.at - span.start) / long) * width}px)` }} />
      {paths && <span className={styles.peak}>peak {paths.peak} wasted</span>}
    </div>
  );
}

/** A report carries some parts of the trace; the rest is veiled. */
function ReportParts({ parts, span }: { parts: readonly Span[]; span: Span }) {
  const percent = (at: number) => ((at - span.start) / (span.end - span.start)) * 100;
  const bounds = [span.start, ...parts.flatMap((p) => [p.start, p.end]), span.end];
  return (
    <div className={styles.veils} title="Not in this report" aria-hidden="true">
      {bounds.map((at, i) =>
        i % 2 === 0 ? (
          <i key={at} style={{ left: `${percent(at)}%`, width: `${percent(bounds[i + 1] ?? at) - percent(at)}%` }} />
        ) : null,
      )}
    </div>
  );
}

interface ReplayStripProps {
  data: ReplayData;
  player: Player;
  store: StretchStore;
  colours: ReplayColours;
  figureFeed: FigureFeed;
  onSeek: (at: number) => void;
  /** Called by the picture's frames. */
  draw: RefObject<() => void>;
}

/** Waste as it was, to the instant; moves as ticks in their path's colour. */
export function ReplayStrip({ data, player, store, colours, figureFeed, onSeek, draw }: ReplayStripProps) {
  const now = useFigures(figureFeed);
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useElementSize(box);
  const span = Math.min(data.span.end - data.span.start, now.speed * 1e9 * AROUND_S);
  const marks = useMemo(() => marked(data.episodes), [data.episodes]);
  useEffect(() => {
    const c = canvas.current;
    if (!c || width < 2) return;
    const density = Math.min(window.devicePixelRatio || 1, 2);
    c.width = Math.round(width * density);
    c.height = Math.round(STRIP_HEIGHT * density);
    const pen = c.getContext('2d');
    if (!pen) return;
    draw.current = () => {
      pen.setTransform(density, 0, 0, density, 0, 0);
      pen.clearRect(0, 0, width, STRIP_HEIGHT);
      const start = player.clock.at - span / 2;
      const x = (at: number) => ((at - start) / span) * width;
      pen.fillStyle = colours.areas[2] as string;
      const left = Math.max(0, x(data.span.start));
      pen.fillRect(left, 0, Math.min(width, x(data.span.end)) - left, STRIP_HEIGHT);
      pen.globalAlpha = 0.5;
      pen.fillStyle = colours.wastedFill;
      for (const e of marks) {
        if (e.end < start || e.start > start + span) continue;
        const from = Math.max(0, x(e.start));
        pen.fillRect(from, STRIP_HEIGHT - 3, Math.max(1, Math.min(width, x(e.end)) - from), 3);
      }
      pen.globalAlpha = 1;
      let peak = 1;
      for (const v of data.curve.most) if (v > peak) peak = v;
      for (let at = Math.max(start, data.span.start), n = 0; at < start + span && n < 8; ) {
        const s = store.peek(at);
        if (s === null) {
          // Not here yet, or, in a report, of a time that it does not carry: what follows may be.
          at += span / SKIPS;
          continue;
        }
        n++;
        pen.fillStyle = colours.wastedFill;
        let painted = -1;
        for (let i = 0; i < s.waste.start.length; i++) {
          const a = x(Math.max(s.waste.start[i] as number, s.start));
          const b = x(Math.min(s.waste.end[i] as number, s.end));
          if (b < 0 || a > width || b <= painted) continue;
          const high = ((s.waste.wasted[i] as number) / peak) * (STRIP_HEIGHT - 10);
          pen.fillRect(a, STRIP_HEIGHT - 4 - high, Math.max(0.5, b - a), high);
          painted = Math.max(painted, Math.floor(b * 2) / 2);
        }
        painted = -1;
        for (let i = cursorAt(s, start); i < s.ts.length && (s.ts[i] as number) < start + span; i++) {
          if (s.path[i] === 0) continue;
          const a = Math.round(x(s.ts[i] as number));
          if (a === painted) continue;
          painted = a;
          pen.fillStyle = colours.paths[s.path[i] as number] as string;
          pen.fillRect(a, 0, 1, 5);
        }
        at = s.end + 1;
      }
      pen.fillStyle = colours.accent;
      pen.fillRect(width / 2 - 0.75, 0, 1.5, STRIP_HEIGHT);
    };
    draw.current();
  }, [data, player, store, colours, span, width, marks, draw]);
  return (
    <div
      ref={box}
      className={styles.around}
      onPointerDown={(e) => {
        const r = e.currentTarget.getBoundingClientRect();
        onSeek(player.clock.at + ((e.clientX - r.left) / r.width - 0.5) * span);
      }}
    >
      <canvas ref={canvas} style={{ width, height: STRIP_HEIGHT }} />
    </div>
  );
}
