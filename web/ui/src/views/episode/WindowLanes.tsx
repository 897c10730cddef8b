// The CPUs of an episode as lanes over its window: who ran, where it was idle, how many waited.

import { useEffect, useMemo, useRef, useState } from 'react';
import type { EpisodePage, TraceSummary } from '../../api/types';
import { Failed, Loading } from '../../components/States';
import { useSize } from '../../components/useSize';
import { GROUPINGS, type Grouping, OTHERS } from '../../logic/hues';
import type { Scheme } from '../../logic/place';
import { isLight, pack } from '../../logic/timeline/colour';
import { duration, plural, roundDuration } from '../../logic/units';
import { go, usePlace } from '../../navigation';
import type { Span } from '../../replay/clock';
import type { Dictionary } from '../../replay/dictionary';
import { type Lane, lanesOf } from '../../replay/lanes';
import type { Look } from '../../replay/look';
import type { Stretch } from '../../replay/moves';
import { sourceFor } from '../replay/stretches';
import { useLook } from '../replay/useStage';
import { entriesOf } from '../timeline/Legend';
import styles from './Episode.module.css';

/** Lanes shown, and changes of state looked at: a longer episode is shown from its begin on. */
const MOST_LANES = 20;
const MOST_CHANGES = 40_000;
const LANE = 20;
const AXIS = 22;
const LEFT = 52;

interface Props {
  trace: TraceSummary;
  page: EpisodePage;
  window: Span;
  dictionary: Dictionary;
}

interface Loaded {
  stretches: Stretch[];
  /** Up to here they reach, since the trace's begin. */
  end: number;
}

/** Stretches from `span.start` on, until its end or until there are too many changes. */
async function load(trace: TraceSummary, span: Span, signal: AbortSignal): Promise<Loaded> {
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

/** The CPUs with most of the waste, in the machine's order: as many idle as overloaded ones. */
function chosen(page: EpisodePage): number[] {
  const { idle_cpus, overloaded_cpus } = page.episode;
  const weight = new Map<number, number>();
  for (const p of page.pairs) {
    weight.set(p.idle_cpu, (weight.get(p.idle_cpu) ?? 0) + p.core_ns);
    weight.set(p.waited_on, (weight.get(p.waited_on) ?? 0) + p.core_ns);
  }
  const top = (cpus: number[]) =>
    [...cpus].sort((a, b) => (weight.get(b) ?? 0) - (weight.get(a) ?? 0) || a - b).slice(0, MOST_LANES / 2);
  const all = new Set([...idle_cpus, ...overloaded_cpus]);
  if (all.size <= MOST_LANES) return [...all].sort((a, b) => a - b);
  return [...new Set([...top(idle_cpus), ...top(overloaded_cpus)])].sort((a, b) => a - b);
}

export function WindowLanes({ trace, page, window, dictionary }: Props) {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
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
  const height = cpus.length * LANE + AXIS;
  const span = useMemo(
    () => ({ start: Math.max(wanted.start, loaded?.stretches[0]?.start ?? 0), end: loaded?.end ?? wanted.end }),
    [wanted, loaded],
  );
  if (error) return <Failed error={error} />;
  if (!loaded) return <Loading what="Reading what happened" height={height} />;
  if (loaded.stretches.length === 0) return <p className="muted">This window is not in the report.</p>;
  return (
    <>
      <Lanes
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
        {cpus.length < new Set([...page.episode.idle_cpus, ...page.episode.overloaded_cpus]).size &&
          `The ${plural(cpus.length, 'CPU')} with most of it. `}
        Under each lane, how many wait. Click to replay from there.
      </p>
    </>
  );
}

type LaneScheme = 'state' | Grouping;

/** The scheme of the timeline, where lanes of this page have it too; else what runs and what is wasted. */
const schemeOf = (scheme: Scheme): LaneScheme => GROUPINGS.find((by) => by === scheme) ?? 'state';

interface LanesProps {
  trace: TraceSummary;
  scheme: LaneScheme;
  page: EpisodePage;
  dictionary: Dictionary;
  cpus: number[];
  stretches: Stretch[];
  span: Span;
}

function Lanes({ trace, page, scheme, dictionary, cpus, stretches, span }: LanesProps) {
  const [box, { width }] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const look = useLook();
  const lanes = useMemo(() => lanesOf(stretches, cpus, span), [stretches, cpus, span]);
  const hues = useMemo(() => (scheme === 'state' ? null : dictionary.hues(scheme)), [dictionary, scheme]);
  const wasted = useMemo(() => spansOf(stretches, 'wastedCpus'), [stretches]);
  const blind = useMemo(() => spansOf(stretches, 'blind'), [stretches]);
  const [tip, setTip] = useState<{ x: number; y: number; text: string } | null>(null);
  const height = lanes.length * LANE + AXIS;
  const long = span.end - span.start;
  const begin = page.episode.start_ns - trace.start_ns;
  const end = page.episode.end_ns - trace.start_ns;

  useEffect(() => {
    const c = canvas.current;
    if (!c || width < LEFT + 20) return;
    const density = Math.min(globalThis.devicePixelRatio || 1, 2);
    c.width = Math.round(width * density);
    c.height = Math.round(height * density);
    const pen = c.getContext('2d');
    if (!pen) return;
    pen.scale(density, density);
    const x = (at: number) => LEFT + ((at - span.start) / long) * (width - LEFT);
    pen.font = `500 11px ${look.font}`;
    pen.textBaseline = 'middle';
    const top = LANE - 7;
    lanes.forEach((lane, i) => {
      const y = i * LANE;
      pen.fillStyle = look.text3;
      pen.textAlign = 'right';
      pen.fillText(`CPU ${lane.cpu}`, LEFT - 8, y + top / 2 + 1);
      pen.fillStyle = look.idleFill;
      pen.fillRect(LEFT, y + 1, width - LEFT, top);
      const fill = (spans: readonly Interval[], colour: string) => {
        pen.fillStyle = colour;
        for (const [a, b] of spans) {
          if (b <= span.start || a >= span.end) continue;
          const left = Math.max(x(a), LEFT);
          pen.fillRect(left, y + 1, Math.max(Math.min(x(b), width) - left, 0.3), top);
        }
      };
      fill(blind.get(lane.cpu) ?? [], look.unobserved);
      drawRuns(pen, lane, y + 1, top, x, (u) => (hues ? (look.hues[hues.of[u] ?? OTHERS] as string) : look.busyFill));
      if (!hues) fill(crowdedOf(lane), look.overloadFill);
      fill(wasted.get(lane.cpu) ?? [], look.wastedFill);
      drawNames(pen, lane, y + 1, top, x, dictionary, look, hues === null);
      for (const [a, b, n] of lane.queue) {
        pen.fillStyle = look.waitingFill;
        const high = Math.min(4, 1 + n);
        pen.fillRect(x(a), y + 1 + top, Math.max(0.6, x(b) - x(a)), high);
      }
    });
    pen.fillStyle = look.accent;
    for (const at of [begin, end])
      if (at >= span.start && at <= span.end) pen.fillRect(x(at) - 0.5, 0, 1, height - AXIS);
    pen.fillStyle = look.text3;
    pen.textAlign = 'center';
    const step = niceStep(long / Math.max(2, Math.floor((width - LEFT) / 120)));
    for (let t = Math.ceil((span.start - begin) / step) * step; t <= span.end - begin; t += step) {
      const px = x(begin + t);
      if (px < LEFT + 14 || px > width - 30) continue;
      pen.fillRect(px, height - AXIS, 1, 4);
      pen.fillText(t === 0 ? 'begin' : `${t > 0 ? '+' : '−'}${roundDuration(Math.abs(t))}`, px, height - AXIS / 2 + 3);
    }
  }, [lanes, width, height, span, long, look, hues, wasted, blind, begin, end, dictionary]);

  const under = (e: React.PointerEvent | React.MouseEvent) => {
    const r = e.currentTarget.getBoundingClientRect();
    const px = e.clientX - r.left;
    const at = span.start + ((px - LEFT) / (width - LEFT)) * long;
    return { px, py: e.clientY - r.top, at, lane: lanes[Math.floor((e.clientY - r.top) / LANE)] };
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
          const run = lane?.runs.find(([a, b]) => at >= a && at < b);
          const queue = lane?.queue.find(([a, b]) => at >= a && at < b);
          const holds = (spans: readonly Interval[] | undefined) => spans?.find(([a, b]) => at >= a && at < b);
          const waste = lane && holds(wasted.get(lane.cpu));
          const said = run
            ? `${dictionary.nameOf(run[2])} runs for ${duration(run[1] - run[0])}`
            : waste
              ? `idle, and wasted for ${duration(waste[1] - waste[0])}`
              : lane && holds(blind.get(lane.cpu))
                ? 'not observed'
                : 'idle';
          setTip(
            lane && px > LEFT
              ? {
                  x: px,
                  y: py,
                  text: `CPU ${lane.cpu}: ${said}${queue ? `, ${plural(queue[2], 'thread')} waiting` : ''}`,
                }
              : null,
          );
        }}
        onPointerLeave={() => setTip(null)}
        onClick={(e) => {
          const { px, at } = under(e);
          if (px > LEFT) {
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

type Interval = readonly [start: number, end: number];

/** Times of each CPU in which it was wasted, or not observed. */
function spansOf(stretches: readonly Stretch[], what: 'wastedCpus' | 'blind'): Map<number, Interval[]> {
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

/** When a lane's CPU ran a thread while others waited there. */
export function crowdedOf({ runs, queue }: Lane): Interval[] {
  const found: Interval[] = [];
  let i = 0;
  for (const [a, b] of runs) {
    while (i < queue.length && (queue[i] as Lane['queue'][0])[1] <= a) i++;
    for (let k = i; k < queue.length && (queue[k] as Lane['queue'][0])[0] < b; k++) {
      const [from, to] = queue[k] as Lane['queue'][0];
      found.push([Math.max(a, from), Math.min(b, to)]);
    }
  }
  return found;
}

/** Runs that share a pixel are one. */
function drawRuns(
  pen: CanvasRenderingContext2D,
  lane: Lane,
  y: number,
  h: number,
  x: (at: number) => number,
  hue: (utid: number) => string,
): void {
  let reached = -1;
  for (const [a, b, u] of lane.runs) {
    const left = Math.max(x(a), reached);
    const right = Math.max(x(b), left + 0.3);
    if (right <= reached) continue;
    pen.fillStyle = hue(u);
    pen.fillRect(left, y, right - left, h);
    reached = right;
  }
}

/** A line where a thread takes over from another, and names where they fit. */
function drawNames(
  pen: CanvasRenderingContext2D,
  lane: Lane,
  y: number,
  h: number,
  x: (at: number) => number,
  dictionary: Dictionary,
  look: Look,
  isState: boolean,
): void {
  const crowded = isState ? crowdedOf(lane) : [];
  pen.textAlign = 'left';
  lane.runs.forEach(([a, b, u], i) => {
    const [left, right] = [x(a), x(b)];
    const before = lane.runs[i - 1];
    if (before && before[1] === a && right - left >= 3 && left - x(before[0]) >= 3) {
      pen.fillStyle = look.surface;
      pen.fillRect(left, y, 0.75, h);
    }
    if (right - left <= 46) return;
    const dark = isState && crowded.some(([from, to]) => from <= a && to > a);
    const under = isState ? (dark ? look.overloadFill : look.busyFill) : null;
    pen.fillStyle = (under === null ? look.dark : isLight(pack(under))) ? '#0c1015' : '#ffffff';
    const letters = Math.floor((right - left - 10) / 6.4);
    const name = dictionary.nameOf(u);
    pen.fillText(name.length > letters ? `${name.slice(0, letters - 1)}…` : name, left + 5, y + h / 2 + 0.5);
  });
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((m) => m * power).find((s) => s >= least) ?? least;
}
