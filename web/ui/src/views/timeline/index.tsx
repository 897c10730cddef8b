// The timeline: a lane per CPU. State is the place's; what is in sight is the viewport's until it rests.

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ofTrace } from '../../api/client';
import {
  useAllEpisodes,
  useEpisodes,
  useIdentity,
  useJson,
  useMachine,
  useThreads,
  useTilesMeta,
} from '../../api/hooks';
import type { Table } from '../../api/table';
import type { Bubbles, Episode, Machine, TilesMeta } from '../../api/types';
import { EvidenceGaps } from '../../components/EvidenceGaps';
import { Icon } from '../../components/Icon';
import { DetailsBeingMade, Failed, Loading, PartlyLoaded } from '../../components/States';
import { OVERLAYS, type Overlay } from '../../logic/place';
import { arranged, timeInEpisodes } from '../../logic/timeline/arrange';
import { threadColours } from '../../logic/timeline/colour';
import { foldedPlace, heightOfCpus, type LaneLayout, layLanes, nodeKey } from '../../logic/timeline/lanes';
import { Threads } from '../../logic/timeline/names';
import { type PowerRange, powerRange } from '../../logic/timeline/power';
import { scanOf } from '../../logic/timeline/scans';
import { threadRows, toggled } from '../../logic/timeline/threadRows';
import { adjust, go, placeNow, usePlace } from '../../navigation';
import type { ViewProps } from '../registry';
import type { CrowdedKind, FrameGaps } from './frameResult';
import { gutterWidth } from './Gutter';
import { Lanes, type LanesHandle } from './Lanes';
import { Legend } from './Legend';
import { hasStack } from './laneParts';
import { Marks } from './Marks';
import { measureAt } from './marking';
import { Overview } from './Overview';
import { bandOf } from './overlays';
import { Panel } from './Panel';
import { chooseCpus } from './pinning';
import type { Band, TimelineCursor } from './scene';
import { Source } from './source';
import styles from './Timeline.module.css';
import { Toolbar } from './Toolbar';
import type { TimelineHit } from './timelineHit';
import { useCanvasColours } from './useCanvasColours';
import { useCursorHit } from './useCursorHit';
import { useFollowed } from './useFollowed';
import { flowOf, useInstant } from './useInstant';
import { useReveal } from './useReveal';
import { useTimelineKeys, zoomTo } from './useTimelineKeys';
import { useViewport } from './useViewport';

export default function TimelineView(props: ViewProps) {
  const { id } = props.trace;
  const parts = [useTilesMeta(id), useMachine(id), useThreads(id)] as const;
  const [meta, machine, threads] = parts;
  const failed = parts.find((part) => part.error && part.data === undefined);
  if (failed) return <Failed error={failed.error} retry={() => void failed.refetch()} />;
  if (!meta.data || !machine.data || !threads.data)
    return <Loading what="Reading the machine and its threads" height="80vh" />;
  return <Timeline {...props} meta={meta.data} machine={machine.data} table={threads.data} />;
}

/** From so many lanes of CPUs on, those that scroll have a map. */
const MAPPED = 16;

interface TimelineProps extends ViewProps {
  meta: TilesMeta;
  machine: Machine;
  table: Table;
}

function Timeline({ trace, meta, machine, table }: TimelineProps) {
  const place = usePlace();
  const viewport = useViewport(trace);
  const lanesRef = useRef<LanesHandle>(null);
  const [height, setHeight] = useState(400);
  const [crowded, setCrowded] = useState<readonly CrowdedKind[]>([]);
  const [missing, setMissing] = useState<FrameGaps>({ error: null, hatched: false });
  const episodes = useEpisodes(trace.id).data;
  const all = useAllEpisodes(trace.id).data;
  const inBubbles =
    place.scheme === 'bubble' || place.grouping === 'bubble' || place.pins.some((key) => key.startsWith('b'));
  const bubbles = useJson<Bubbles>(inBubbles ? ofTrace(trace.id, 'bubbles') : null).data;
  const followed = useFollowed(trace.id, place.utid);
  const identity = useIdentity(trace.id).data;
  const power = useMemo(() => powerRange(identity), [identity]);
  const ink = useCanvasColours();

  const source = useMemo(() => new Source(trace, meta, () => lanesRef.current?.redraw()), [trace, meta]);
  useEffect(() => () => source.close(), [source]);
  const threads = useMemo(() => {
    const all = new Threads(table);
    if (bubbles) all.setBubbles(bubbles);
    return all;
  }, [table, bubbles]);
  const { pins, grouping, order, open, filter } = place;
  const [pinsKey, openKey, laneFilter] = [pins.join('.'), open.join('.'), grouping === 'none' ? '' : filter];
  const rows = useMemo(() => {
    const keys = (text: string) => text.split('.').filter(Boolean);
    return threadRows(threads, { pins: keys(pinsKey), grouping, order, open: keys(openKey), filter: laneFilter });
  }, [threads, pinsKey, grouping, order, openKey, laneFilter]);
  const foldedKey = place.folded?.join('.') ?? null;
  const bands = useMemo(() => bandsOf(episodes ?? [], all ?? [], place.episode), [episodes, all, place.episode]);
  const crowdedCpus = useMemo(() => overloadedIn(bands), [bands]);
  const { cpus, first, cpuOrder } = place;
  const [onlyKey, firstKey] = [cpus?.join() ?? null, first.join()];
  const weights = useMemo(() => (cpuOrder === 'waste' ? timeInEpisodes(all ?? []) : new Map()), [cpuOrder, all]);
  const tree = useMemo(() => {
    const numbers = (text: string) => text.split(',').filter(Boolean).map(Number);
    const only = onlyKey === null ? null : numbers(onlyKey);
    return arranged(machine.tree, { cpus: only, first: numbers(firstKey), order: cpuOrder }, weights);
  }, [machine, onlyKey, firstKey, cpuOrder, weights]);
  const lanes = useMemo(() => {
    const folded = foldedKey === null ? null : foldedKey.split('.').filter(Boolean);
    return layLanes(tree, folded, height, rows, place.fit, crowdedCpus);
  }, [tree, foldedKey, height, rows, place.fit, crowdedCpus]);
  const paint = useMemo(() => {
    const off = (utid: number) => place.filter !== '' && !threads.matches(utid, place.filter);
    const colours = threadColours(threads, place.scheme, ink.palette, off);
    return { scheme: place.scheme, palette: ink.palette, threads: colours, highlight: place.filter !== '' };
  }, [threads, place.scheme, place.filter, ink]);
  const cursor = useMemo(() => parseCursor(place.params.slice), [place.params.slice]);
  const event = useMemo(() => parseEvent(place.params.event), [place.params.event]);
  const hit = useCursorHit(cursor, source, lanesRef, viewport, place.overlays.join());
  const instant = useInstant(trace.id, hit).data;
  const flow = useMemo(() => flowOf(instant), [instant]);
  const scan = useMemo(() => scanOf(instant), [instant]);
  const [measuring, setMeasuring] = useState(false);
  const scene = useMemo(
    () => ({
      source,
      origin: trace.start_ns,
      lanes,
      ink,
      paint,
      threads,
      overlays: place.overlays,
      bands,
      episodes: all ?? [],
      selection: place.selection,
      cursor,
      measure: place.measure,
      bookmarks: place.bookmarks,
      tasks: place.tasks,
      power,
      event,
      followed,
      flow,
      scan,
    }),
    [
      source,
      trace,
      lanes,
      ink,
      paint,
      threads,
      place.overlays,
      bands,
      all,
      place.selection,
      cursor,
      place.measure,
      place.bookmarks,
      place.tasks,
      power,
      event,
      followed,
      flow,
      scan,
    ],
  );

  const onCrowded = useCallback((kinds: readonly CrowdedKind[]) => {
    setCrowded((before) => (before.join() === kinds.join() ? before : kinds));
  }, []);
  const onMissing = useCallback((now: FrameGaps) => {
    setMissing((before) => (before.error === now.error && before.hatched === now.hatched ? before : now));
  }, []);
  const onPick = useCallback((hit: TimelineHit | null) => {
    const params = hit ? { slice: `${hit.place}@${Math.floor(hit.t)}` } : {};
    adjust({ params, selection: null });
  }, []);
  const onInstant = useCallback((t: number) => {
    measureAt(t);
    if (placeNow().measure?.to !== null) setMeasuring(false);
  }, []);
  const onFold = useCallback((key: string) => go({ folded: foldedPlace(lanes, toggled(lanes.folded, key)) }), [lanes]);
  const toEpisode = useCallback(
    // The former cursor belongs to another trace or window.
    (episode: number) => go({ episode, window: windowOf(all ?? episodes ?? [], episode), params: {}, selection: null }),
    [episodes, all],
  );
  const endMeasuring = () => setMeasuring(false);
  useReveal(lanesRef, lanes, height, cursor, bands);
  const machineKey = nodeKey(machine.tree);
  useTimelineKeys({ viewport, lanesRef, bands, cursor, toEpisode, trace, threads, endMeasuring, machineKey });

  const withMap = lanes.lanes.length >= MAPPED && heightOfCpus(lanes) > height;

  return (
    <div
      className={styles.view}
      data-map={withMap}
      style={{ '--gutter': `${gutterWidth(lanes)}px` } as React.CSSProperties}
    >
      <Toolbar
        place={place}
        threads={threads}
        bands={bands}
        lanes={lanes}
        offered={offeredOverlays(power, place.overlays)}
        onEpisode={toEpisode}
        marks={
          <Marks
            trace={trace}
            viewport={viewport}
            measuring={measuring}
            onMeasuring={setMeasuring}
            lanesRef={lanesRef}
          />
        }
      />
      <Overview
        trace={trace}
        viewport={viewport}
        bands={bands}
        corner={
          place.cpus ? (
            <AllCpus shown={tree.cpus.length} all={machine.tree.cpus.length} />
          ) : (
            (lanes.threads.length > 0 || lanes.crowded || lanes.folded.length > 0) && <FoldCpus lanes={lanes} />
          )
        }
        onEpisode={toEpisode}
      />
      <DetailsBeingMade />
      {missing.error !== null && (
        <PartlyLoaded
          error={missing.error}
          retry={() => {
            source.retry();
            lanesRef.current?.redraw();
          }}
        />
      )}
      <Lanes
        handle={lanesRef}
        viewport={viewport}
        scene={scene}
        withMap={withMap}
        onHeight={setHeight}
        onPick={onPick}
        onInstant={measuring ? onInstant : null}
        onOpen={(hit) => zoomTo(viewport, hit)}
        onSelect={(selection) => adjust({ selection, params: {} })}
        onFold={onFold}
        onCrowded={onCrowded}
        onMissing={onMissing}
      />
      <Legend
        scheme={place.scheme}
        overlays={place.overlays}
        crowded={crowded}
        threads={threads}
        stacked={hasStack(lanes)}
        withScans={scan !== null || marksScans(place.overlays, crowded)}
        power={power}
        withThreads={lanes.threads.length > 0}
        withGroups={lanes.threads.some((lane) => lane.utid === null)}
        hatched={missing.hatched}
      />
      <EvidenceGaps trace={trace} {...gapsOf(place.overlays)} />
      <Panel
        trace={trace}
        scene={scene}
        viewport={viewport}
        hit={hit}
        instant={instant}
        episodesKnown={episodes !== undefined && all !== undefined}
      />
    </div>
  );
}

/** Some CPUs alone have lanes: all again. */
function AllCpus({ shown, all }: { shown: number; all: number }) {
  return (
    <button
      type="button"
      className="quiet"
      aria-pressed="true"
      title={`Lanes of ${shown} of ${all} CPUs: all again (x)`}
      onClick={() => chooseCpus(null)}
    >
      {shown} of {all}
      <span className="unseen"> CPUs have lanes: all again</span> <Icon name="close" />
    </button>
  );
}

/** The CPUs of a large machine fill the window and more: folded, they leave it to the lanes of threads. */
function FoldCpus({ lanes }: { lanes: LaneLayout }) {
  const { brackets, folded } = lanes;
  const parts = brackets.filter((bracket) => bracket.depth === 0);
  const outermost = parts.map((bracket) => bracket.key);
  if (outermost.length === 0) return null;
  const all = outermost.every((key) => folded.includes(key));
  const change = all ? folded.filter((key) => !outermost.includes(key)) : [...new Set([...folded, ...outermost])];
  return (
    <button
      type="button"
      className="quiet"
      aria-pressed={all}
      aria-label="Fold CPUs"
      title={`A lane for each ${parts[0]?.kind === 'llc' ? 'last-level cache' : parts[0]?.kind}`}
      onClick={() => go({ folded: foldedPlace(lanes, change) })}
    >
      {lanes.threads.length > 0 ? 'Fold CPUs' : 'Fold'}
    </button>
  );
}

/** All, but for those of which a trace has nothing, unless they are on. */
const offeredOverlays = ({ deepest, highest }: PowerRange, on: readonly Overlay[]): Overlay[] =>
  OVERLAYS.filter((overlay) => {
    const lacks = (overlay === 'idle' && deepest === null) || (overlay === 'frequency' && highest === null);
    return !lacks || on.includes(overlay);
  });

/** Some scans are marked: placements, or attempts where these are shown. */
function marksScans(overlays: readonly Overlay[], crowded: readonly CrowdedKind[]): boolean {
  if (!overlays.includes('scans')) return false;
  const marksAttempts = overlays.includes('attempts') && !crowded.includes('attemptScans');
  return marksAttempts || !crowded.includes('scans');
}

const NOT_MARKED = 'not marked on the lanes';
const NOT_DRAWN = 'not drawn';

/** What the overlays that are on rest on. */
function gapsOf(overlays: readonly Overlay[]) {
  const arrows = overlays.includes('flows') || overlays.includes('wakeups');
  return {
    needs: {
      ...(overlays.includes('migrations') && {
        migrations: 'moves have no arcs',
        migration_stacks: 'arcs have no path',
      }),
      ...(overlays.includes('attempts') && { load_balance_attempts: 'none is drawn' }),
      ...(overlays.includes('scans') && { placements: NOT_MARKED, cpus_scanned: NOT_MARKED }),
      ...(overlays.includes('interrupts') && { irq_busy: NOT_DRAWN }),
    },
    ...(overlays.includes('scans') && overlays.includes('attempts') && { attemptScans: NOT_MARKED }),
    ...(overlays.includes('interrupts') && { interrupts: NOT_DRAWN }),
    ...(overlays.includes('idle') && { idleStates: NOT_DRAWN }),
    ...(overlays.includes('frequency') && { frequencies: NOT_DRAWN }),
    ...(arrows && {
      wakeups: 'there are no arrows',
      wakings: 'arrows begin at the CPU of sched_wakeup, which may not be the waker’s',
    }),
  };
}

const BANDS = 400;

/** The costliest episodes, a waste once, and the chosen one whatever it cost. */
function bandsOf(episodes: readonly Episode[], all: readonly Episode[], chosen: number | null) {
  const worst = [...episodes].sort((a, b) => b.total_core_ns - a.total_core_ns).slice(0, BANDS);
  const extra = [...episodes, ...all].find((episode) => episode.episode_id === chosen);
  const shown = extra && !worst.some((episode) => episode.episode_id === chosen) ? [...worst, extra] : worst;
  return shown.sort((a, b) => a.start_ns - b.start_ns).map((episode) => bandOf(episode, episode.episode_id === chosen));
}

/** On whose queues threads waited in the chosen episode, else in the one that wasted most. */
function overloadedIn(bands: readonly Band[]): ReadonlySet<number> {
  const worst = bands.reduce<Band | null>(
    (most, band) => (most === null || band.episode.total_core_ns > most.episode.total_core_ns ? band : most),
    null,
  );
  return new Set((bands.find((band) => band.chosen) ?? worst)?.episode.overloaded_cpus);
}

function windowOf(episodes: readonly Episode[], id: number) {
  const episode = episodes.find((item) => item.episode_id === id);
  if (!episode) return null;
  const margin = Math.max((episode.end_ns - episode.start_ns) / 8, 1000);
  return { start: Math.max(Math.round(episode.start_ns - margin), 0), end: Math.round(episode.end_ns + margin) };
}

function parseEvent(text: string | undefined): { id: number; t: number } | null {
  const match = /^(\d{1,15})@(\d{1,16})$/.exec(text ?? '');
  return match ? { id: Number(match[1]), t: Number(match[2]) } : null;
}

function parseCursor(text: string | undefined): TimelineCursor | null {
  const match = /^(\d{1,5}|[tpcb]\d{1,16})@(\d{1,16})$/.exec(text ?? '');
  return match ? { lane: match[1] as string, t: Number(match[2]) } : null;
}
