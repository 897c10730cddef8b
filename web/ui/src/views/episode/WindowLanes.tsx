// The CPUs of an episode as lanes over its window: which threads ran, when it was idle, how many waited.

import { useEffect, useMemo, useRef, useState } from 'react';
import type { EpisodePage, TraceSummary } from '../../api/types';
import { Failed, Loading } from '../../components/States';
import { useSize } from '../../components/useSize';
import { GROUPINGS, type Grouping, OTHERS } from '../../logic/hues';
import type { Scheme, Span } from '../../logic/place';
import { Runs } from '../../logic/timeline/borders';
import { isLight } from '../../logic/timeline/colour';
import { type Paint, PixelRow } from '../../logic/timeline/raster';
import type { PixelSpan } from '../../logic/timeline/timescale';
import { duration, plural, roundDuration } from '../../logic/units';
import { go, usePlace } from '../../navigation';
import type { Dictionary } from '../../replay/dictionary';
import { lanesOf } from '../../replay/lanes';
import type { Stretch } from '../../replay/moves';
import { sourceFor } from '../replay/stretches';
import { fitLabel, LETTER } from '../timeline/fit';
import { entriesOf } from '../timeline/Legend';
import type { CanvasColours } from '../timeline/palette';
import { useCanvasColours } from '../timeline/useCanvasColours';
import styles from './Episode.module.css';
import { type EpisodeLane, type Interval, laneTextAt } from './laneText';

/** Most lanes shown, and most changes of state read: a longer episode is shown from its start on. */
const MOST_LANES = 20;
const MOST_CHANGES = 40_000;
const LANE_HEIGHT = 24;
/** Of a lane: what ran, and the stack of waiting threads under it, a line for each. */
const SLICE_HEIGHT = 14;
const MAX_WAITING_LINES = 4;
const LINE_HEIGHT = 2;
const AXIS_HEIGHT = 22;
const LABEL_WIDTH = 52;

interface WindowLanesProps {
  trace: TraceSummary;
  page: EpisodePage;
  window: Span;
  dictionary: Dictionary;
}

interface WindowStretches {
  stretches: Stretch[];
  /** Their end, in ns since the trace's start. */
  end: number;
}

/** Stretches from `span.start` on, until its end or until there are too many changes. */
async function load(trace: TraceSummary, span: Span, signal: AbortSignal): Promise<WindowStretches> {
  const source = sourceFor(trace, false);
  const stretches: Stretch[] = [];
  let count = 0;
  let at = span.start;
  for (let bounds = source.boundsAt(at); bounds !== null; bounds = source.boundsAt(at)) {
    const s = await source.load(bounds, signal);
    stretches.push(s);
    count += s.ts.length;
    if (bounds.end <= at) break;
    at = bounds.end;
    if (at >= span.end || count >= MOST_CHANGES) break;
  }
  return { stretches, end: Math.min(span.end, at) };
}

/** What the choice of lanes rests on. */
interface Waste {
  episode: Pick<EpisodePage['episode'], 'idle_cpus' | 'overloaded_cpus'>;
  pairs: readonly Pick<EpisodePage['pairs'][number], 'idle_cpu' | 'waited_on' | 'core_ns'>[];
}

/** The CPUs with most of the waste, in the machine's order: as many overloaded as idle ones, or more idle ones where fewer are overloaded. */
export function chosen({ episode, pairs }: Waste): number[] {
  const { idle_cpus, overloaded_cpus } = episode;
  const all = new Set([...idle_cpus, ...overloaded_cpus]);
  if (all.size <= MOST_LANES) return [...all].sort((a, b) => a - b);
  // A CPU may have been the one and the other: each by what it was.
  const top = (cpus: readonly number[], side: 'idle_cpu' | 'waited_on', most: number) => {
    const weight = new Map<number, number>();
    for (const p of pairs) weight.set(p[side], (weight.get(p[side]) ?? 0) + p.core_ns);
    return [...cpus].sort((a, b) => (weight.get(b) ?? 0) - (weight.get(a) ?? 0) || a - b).slice(0, most);
  };
  const overloaded = top(overloaded_cpus, 'waited_on', MOST_LANES / 2);
  const others = idle_cpus.filter((cpu) => !overloaded.includes(cpu));
  return [...overloaded, ...top(others, 'idle_cpu', MOST_LANES - overloaded.length)].sort((a, b) => a - b);
}

export function WindowLanes({ trace, page, window, dictionary }: WindowLanesProps) {
  const [loaded, setLoaded] = useState<WindowStretches | null>(null);
  const [error, setError] = useState<unknown>(null);
  const wanted = useMemo(
    () => ({ start: window.start - trace.start_ns, end: window.end - trace.start_ns }),
    [window.start, window.end, trace.start_ns],
  );
  useEffect(() => {
    const stop = new AbortController();
    load(trace, wanted, stop.signal).then(setLoaded, (e) => stop.signal.aborted || setError(e));
    return () => stop.abort();
  }, [trace, wanted]);
  const scheme = schemeOf(usePlace().scheme);
  const names = useMemo(() => (scheme === 'state' ? [] : dictionary.hues(scheme).names), [dictionary, scheme]);
  const cpus = useMemo(() => chosen(page), [page]);
  const all = new Set([...page.episode.idle_cpus, ...page.episode.overloaded_cpus]).size;
  const height = cpus.length * LANE_HEIGHT + AXIS_HEIGHT;
  const span = useMemo(
    () => ({ start: Math.max(wanted.start, loaded?.stretches[0]?.start ?? 0), end: loaded?.end ?? wanted.end }),
    [wanted, loaded],
  );
  if (error) return <Failed error={error} />;
  if (!loaded) return <Loading what="Reading what happened" height={height} />;
  if (loaded.stretches.length === 0) return <p className="muted">This window is not in the report.</p>;
  return (
    <>
      <EpisodeLanes
        trace={trace}
        page={page}
        scheme={scheme}
        dictionary={dictionary}
        cpus={cpus}
        stretches={loaded.stretches}
        span={span}
      />
      <ul className={styles.colours} aria-label="Colours of the lanes">
        {entriesOf(scheme, names).map(([token, text]) => (
          <li key={token}>
            <i style={{ background: `var(${token})` }} />
            {text}
          </li>
        ))}
        <li>
          <i className={styles.line} style={{ background: 'var(--waiting-fill)' }} />
          waiting
        </li>
      </ul>
      <p className="muted">
        {loaded.end < wanted.end && `The first ${duration(loaded.end - wanted.start)} of it. `}
        {cpus.length < all && `${cpus.length} of its ${plural(all, 'CPU')}: those with most of the waste. `}
        Under each lane, how many wait. Click to replay from there.
      </p>
    </>
  );
}

type LaneScheme = 'state' | Grouping;

/** The scheme of the timeline, where lanes of this page have it too; else what runs and what is wasted. */
const schemeOf = (scheme: Scheme): LaneScheme => GROUPINGS.find((by) => by === scheme) ?? 'state';

interface EpisodeLanesProps {
  trace: TraceSummary;
  scheme: LaneScheme;
  page: EpisodePage;
  dictionary: Dictionary;
  cpus: number[];
  stretches: Stretch[];
  span: Span;
}

function EpisodeLanes({ trace, page, scheme, dictionary, cpus, stretches, span }: EpisodeLanesProps) {
  const [box, { width }] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const ink = useCanvasColours();
  const runLanes = useMemo(() => lanesOf(stretches, cpus, span), [stretches, cpus, span]);
  const wasted = useMemo(() => spansOf(stretches, 'wastedCpus'), [stretches]);
  const unobserved = useMemo(() => spansOf(stretches, 'unobserved'), [stretches]);
  const lanes = useMemo(
    () =>
      runLanes.map((lane) => ({
        ...lane,
        wasted: wasted.get(lane.cpu) ?? [],
        unobserved: unobserved.get(lane.cpu) ?? [],
      })),
    [runLanes, wasted, unobserved],
  );
  const paint = useMemo(() => paintOf(scheme, dictionary, ink), [scheme, dictionary, ink]);
  const [tip, setTip] = useState<{ x: number; y: number; text: string } | null>(null);
  const height = lanes.length * LANE_HEIGHT + AXIS_HEIGHT;
  const long = span.end - span.start;
  const start = page.episode.start_ns - trace.start_ns;
  const end = page.episode.end_ns - trace.start_ns;

  useEffect(() => {
    const c = canvas.current;
    if (!c || width < LABEL_WIDTH + 20) return;
    const density = Math.min(globalThis.devicePixelRatio || 1, 2);
    c.width = Math.round(width * density);
    c.height = Math.round(height * density);
    const pen = c.getContext('2d');
    if (!pen) return;
    pen.scale(density, density);
    pen.font = `500 11px ${ink.font}`;
    pen.textBaseline = 'middle';
    pen.imageSmoothingEnabled = false;
    const x = (at: number) => LABEL_WIDTH + ((at - span.start) / long) * (width - LABEL_WIDTH);
    const rows = document.createElement('canvas');
    const row = new PixelRow(Math.round((width - LABEL_WIDTH) * density));
    lanes.forEach((lane, i) => {
      const y = i * LANE_HEIGHT;
      pen.fillStyle = ink.quiet;
      pen.textAlign = 'right';
      pen.fillText(`CPU ${lane.cpu}`, LABEL_WIDTH - 8, y + SLICE_HEIGHT / 2 + 1);
      const pixels = rowsOf(lane, row, { ...span, width: row.width }, paint, rows);
      pen.drawImage(rows, 0, 0, row.width, 1, LABEL_WIDTH, y + 1, width - LABEL_WIDTH, SLICE_HEIGHT);
      for (let depth = 0; depth < MAX_WAITING_LINES; depth++) {
        const at = y + 2 + SLICE_HEIGHT + depth * LINE_HEIGHT;
        pen.drawImage(
          rows,
          0,
          1 + depth,
          row.width,
          1,
          LABEL_WIDTH,
          at,
          width - LABEL_WIDTH,
          LINE_HEIGHT - 1 / density,
        );
      }
      drawRuns(
        pen,
        lane,
        y + 1,
        x,
        dictionary,
        ink,
        (at) => pixels[Math.round((at - LABEL_WIDTH) * density)] as number,
      );
    });
    pen.fillStyle = ink.accent;
    for (const at of [start, end])
      if (at >= span.start && at <= span.end) pen.fillRect(x(at) - 0.5, 0, 1, height - AXIS_HEIGHT);
    pen.fillStyle = ink.quiet;
    pen.textAlign = 'center';
    const step = niceStep(long / Math.max(2, Math.floor((width - LABEL_WIDTH) / 120)));
    for (let t = Math.ceil((span.start - start) / step) * step; t <= span.end - start; t += step) {
      const px = x(start + t);
      if (px < LABEL_WIDTH + 14 || px > width - 30) continue;
      pen.fillRect(px, height - AXIS_HEIGHT, 1, 4);
      pen.fillText(
        t === 0 ? 'start' : `${t > 0 ? '+' : '−'}${roundDuration(Math.abs(t))}`,
        px,
        height - AXIS_HEIGHT / 2 + 3,
      );
    }
  }, [lanes, width, height, span, long, ink, paint, start, end, dictionary]);

  const under = (e: React.PointerEvent | React.MouseEvent) => {
    const r = e.currentTarget.getBoundingClientRect();
    const px = e.clientX - r.left;
    const at = span.start + ((px - LABEL_WIDTH) / (width - LABEL_WIDTH)) * long;
    return { px, py: e.clientY - r.top, at, lane: lanes[Math.floor((e.clientY - r.top) / LANE_HEIGHT)] };
  };
  return (
    <div ref={box} className={styles.lanes} style={{ height }}>
      <canvas
        ref={canvas}
        style={{ width, height }}
        role="img"
        aria-label={`CPU ${cpus.join(', ')} over ${duration(long)}`}
        onPointerMove={(e) => {
          const { px, py, at, lane } = under(e);
          const pixel = long / (width - LABEL_WIDTH);
          setTip(
            lane && px > LABEL_WIDTH
              ? { x: px, y: py, text: `CPU ${lane.cpu}: ${laneTextAt(lane, at, pixel, dictionary.nameOf)}` }
              : null,
          );
        }}
        onPointerLeave={() => setTip(null)}
        onClick={(e) => {
          const { px, at } = under(e);
          if (px > LABEL_WIDTH) {
            const t = String(Math.round(at + trace.start_ns));
            go({ view: 'replay', episode: page.episode.episode_id, params: { t } });
          }
        }}
      />
      {tip && (
        <span
          className={styles.tip}
          style={
            tip.x > width / 2 ? { right: width - tip.x + 10, top: tip.y + 12 } : { left: tip.x + 10, top: tip.y + 12 }
          }
        >
          {tip.text}
        </span>
      )}
    </div>
  );
}

/** Times of each CPU in which it was wasted, or not observed. */
function spansOf(stretches: readonly Stretch[], what: 'wastedCpus' | 'unobserved'): Map<number, Interval[]> {
  const found = new Map<number, Interval[]>();
  for (const stretch of stretches) {
    const { cpu, start, end } = stretch[what];
    cpu.forEach((c, i) => {
      const list = found.get(c) ?? [];
      if (list.length === 0) found.set(c, list);
      list.push([start[i] as number, end[i] as number]);
    });
  }
  return found;
}

/** Fills `row` and `onto` (the lane, and under it the stack of waiting threads); returns the lane's pixels. */
function rowsOf(
  lane: EpisodeLane,
  row: PixelRow,
  frame: PixelSpan,
  paint: Paint,
  onto: HTMLCanvasElement,
): Uint32Array {
  row.clear();
  for (const [a, b, utid] of lane.runs) row.addRun(a, b, utid, frame, paint);
  for (const [a, b, n] of lane.queue) row.add('waiting', a, b, frame, n);
  for (const [a, b] of lane.wasted) row.add('wasted', a, b, frame);
  for (const [a, b] of lane.unobserved) row.add('unobserved', a, b, frame);
  onto.width = row.width;
  onto.height = 1 + MAX_WAITING_LINES;
  const image = new ImageData(row.width, 1 + MAX_WAITING_LINES);
  const pixels = new Uint32Array(image.data.buffer);
  row.colours(pixels, 0, paint);
  for (let depth = 0; depth < MAX_WAITING_LINES; depth++)
    row.stack(pixels, (1 + depth) * row.width, depth, paint.palette.waiting);
  onto.getContext('2d')?.putImageData(image, 0, 0);
  return pixels;
}

function paintOf(scheme: LaneScheme, dictionary: Dictionary, { palette }: CanvasColours): Paint {
  const threads = new Uint32Array(dictionary.maxUtid + 1).fill(palette.busy);
  if (scheme !== 'state') {
    const { of } = dictionary.hues(scheme);
    for (let utid = 1; utid <= dictionary.maxUtid; utid++)
      threads[utid] = palette.kinds[of[utid] ?? OTHERS] ?? palette.busy;
  }
  return { scheme, palette, threads, highlight: false };
}

/** A line where a thread takes over from another, and names where they fit. */
function drawRuns(
  pen: CanvasRenderingContext2D,
  lane: EpisodeLane,
  y: number,
  x: (at: number) => number,
  dictionary: Dictionary,
  ink: CanvasColours,
  under: (x: number) => number,
): void {
  const runs = new Runs();
  for (const [a, b, utid] of lane.runs) runs.add(x(a), x(b), utid);
  pen.fillStyle = ink.surface;
  for (const at of runs.borders()) pen.fillRect(at, y, 0.75, SLICE_HEIGHT);
  pen.textAlign = 'left';
  for (let run = 0; run < runs.size; run++) {
    const [left, right] = [runs.from[run] as number, runs.to[run] as number];
    if (right - left <= 46 || !runs.alone(run)) continue;
    const utid = runs.utid[run] as number;
    const text = fitLabel(dictionary.labelOf(utid), dictionary.nameOf(utid), right - left - 10);
    // Where threads begin to wait beneath it, the colour changes under a name: dark on the one and light on the other.
    const light = isLight(under(left + 8));
    const ends = Array.from(text, (_, at) => left + 5 + at * LETTER);
    if (ends.some((at) => isLight(under(at)) !== light)) continue;
    pen.fillStyle = light ? '#0c1015' : '#ffffff';
    pen.fillText(text, left + 5, y + SLICE_HEIGHT / 2 + 0.5);
  }
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((m) => m * power).find((s) => s >= least) ?? least;
}
