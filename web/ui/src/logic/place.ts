// The place: everything that a link carries (trace, view, window, selection …), and its form in the URL's fragment.
//
// `#/TRACE/VIEW?w=START-END&s=START-END@0-3&…`. The fragment never reaches the server, so a link works behind any path
// prefix. Parsing never fails: what is malformed falls back to its default (a view or an episode that cannot be: `wrong` says
// so), what is unknown is kept in `params`.

import { formatCpuList, parseCpuList } from './cpulist';

export const VIEWS = [
  'verdict',
  'timeline',
  'replay',
  'episodes',
  'threads',
  'latency',
  'sql',
  'compare',
  'balance',
  'deadlines',
] as const;
export type View = (typeof VIEWS)[number];

export const SCHEMES = ['state', 'thread', 'process', 'cgroup', 'bubble', 'queue', 'wait'] as const;
export type Scheme = (typeof SCHEMES)[number];

export const OVERLAYS = [
  'episodes',
  'waiting',
  'migrations',
  'flows',
  'wakeups',
  'attempts',
  'scans',
  'interrupts',
  'idle',
  'frequency',
  'jobs',
] as const;
export type Overlay = (typeof OVERLAYS)[number];
export const DEFAULT_OVERLAYS: readonly Overlay[] = ['episodes', 'waiting', 'migrations', 'flows'];

/** What the timeline has lanes of below those of CPUs: nothing, or all threads by process, cgroup or bubble. */
export const GROUPINGS = ['none', 'process', 'cgroup', 'bubble'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** By what threads and their groups are sorted: time on a CPU, time queued, name, thread id. */
export const LANE_ORDERS = ['run', 'wait', 'name', 'tid'] as const;
export type LaneOrder = (typeof LANE_ORDERS)[number];

/** By what lanes of CPUs are sorted: their place in the machine, or for how long they idled or were overloaded in episodes. */
export const CPU_ORDERS = ['topology', 'waste'] as const;
export type CpuOrder = (typeof CPU_ORDERS)[number];

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** A span of time in ns, on the trace's clock (in the replay since the trace's start); `end` is not part of it. */
export interface Span {
  start: number;
  end: number;
}

/** A brushed part of the timeline, of all CPUs and threads where neither `cpus` nor `lanes` say of which. */
export interface Selection extends Span {
  cpus: number[] | null;
  /** Lanes of threads: `t12` is thread utid 12, `p3` all threads of process upid 3, `c5` all threads of cgroup 5. */
  lanes?: readonly string[];
}

/** An instant to come back to, ns. */
export interface Bookmark {
  t: number;
  text: string;
}

/** What is measured on the timeline: from an instant to another one (null: not chosen yet), in either order. ns. */
export interface Measure {
  from: number;
  to: number | null;
}

export interface Place {
  /** Trace id; null on the list of traces. */
  trace: string | null;
  view: View;
  /** What the timeline (and the curve) shows; null is the whole trace. */
  window: Span | null;
  selection: Selection | null;
  scheme: Scheme;
  overlays: readonly Overlay[];
  /** Ids of topology nodes whose lanes are folded into one, as `node0`, `llc3`; null: as many as the window needs. */
  folded: readonly string[] | null;
  /** Whether all CPUs are in the window, however low their lanes; null: where lanes of threads are listed beside them. */
  fit: boolean | null;
  /** The only CPUs that have lanes; null: all. */
  cpus: readonly number[] | null;
  /** CPUs whose lanes stand above those of the others, in this order. */
  first: readonly number[];
  cpuOrder: CpuOrder;
  /** Lanes of threads above those of the CPUs, as in `Selection.lanes`. */
  pins: readonly string[];
  grouping: Grouping;
  order: LaneOrder;
  /** Groups whose threads have lanes of their own: `p3`, `c5`. */
  open: readonly string[];
  measure: Measure | null;
  /** In order of time. */
  bookmarks: readonly Bookmark[];
  /** Tasks whose deadlines are declared, as `wastenot deadlines --task` takes them. */
  tasks: readonly string[];
  /** Followed thread. */
  utid: number | null;
  /** Episode that is looked at. */
  episode: number | null;
  /** Text that filters or highlights threads. */
  filter: string;
  theme: Theme;
  /** What the address asks for and does not exist, in words: shown instead of a view. Never written. */
  wrong: string | null;
  /** What belongs to one view alone, under names the view chooses; dropped when the view changes. */
  params: Readonly<Record<string, string>>;
}

export const HOME: Place = {
  trace: null,
  view: 'verdict',
  window: null,
  selection: null,
  scheme: 'state',
  overlays: DEFAULT_OVERLAYS,
  folded: null,
  fit: null,
  cpus: null,
  first: [],
  cpuOrder: 'topology',
  pins: [],
  grouping: 'none',
  order: 'run',
  open: [],
  measure: null,
  bookmarks: [],
  tasks: [],
  utid: null,
  episode: null,
  filter: '',
  theme: 'auto',
  wrong: null,
  params: {},
};

const KNOWN = new Set([
  'w',
  's',
  'c',
  'o',
  'fold',
  'fit',
  'cpus',
  'first',
  'cpuorder',
  'pin',
  'group',
  'order',
  'open',
  'measure',
  'mark',
  'task',
  'utid',
  'e',
  'q',
  'theme',
]);

function oneOf<T extends string>(all: readonly T[], text: string | null, otherwise: T): T {
  return all.find((item) => item === text) ?? otherwise;
}

function parseWhole(text: string | null): number | null {
  if (text === null || !/^\d{1,16}$/.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}

function parseSpan(text: string | null): Span | null {
  const [first, second, ...more] = text?.split('-') ?? [];
  const start = parseWhole(first ?? null);
  const end = parseWhole(second ?? null);
  return start !== null && end !== null && more.length === 0 && start < end ? { start, end } : null;
}

/** `t12.p3` as lanes of threads; what is malformed is left out, and what is there twice. */
function parseLanes(text: string | null): string[] {
  const lanes = text?.split('.').filter((key) => /^[tpcb]\d{1,16}$/.test(key)) ?? [];
  return [...new Set(lanes)].slice(0, MOST_LANES);
}

/** Lanes that an address may name. */
const MOST_LANES = 256;

function parseMeasure(text: string | null): Measure | null {
  const [from = null, to = null, ...more] = text?.split('-') ?? [];
  const start = parseWhole(from);
  if (start === null || more.length > 0) return null;
  return to === null ? { from: start, to: null } : { from: start, to: parseWhole(to) };
}

/** Bookmarks that an address may hold, and letters of each. */
const MOST_BOOKMARKS = 64;
export const MOST_LETTERS = 80;

function parseBookmarks(texts: readonly string[]): Bookmark[] {
  const found = new Map<number, Bookmark>();
  for (const item of texts.slice(0, MOST_BOOKMARKS)) {
    const [at = '', ...words] = item.split(':');
    const t = parseWhole(at);
    if (t !== null) found.set(t, { t, text: words.join(':').slice(0, MOST_LETTERS) });
  }
  return [...found.values()].sort((a, b) => a.t - b.t);
}

/** Tasks that an address may declare, and letters of each: as many as the server takes. */
const MOST_TASKS = 64;
const MOST_TASK_LETTERS = 1000;

const parseTasks = (texts: readonly string[]): string[] =>
  texts.filter((text) => text !== '' && text.length <= MOST_TASK_LETTERS).slice(0, MOST_TASKS);

function parseSelection(text: string | null): Selection | null {
  const [times, of] = text?.split('@') ?? [];
  const span = parseSpan(times ?? null);
  if (span && of && /^[tpcb]/.test(of)) return { ...span, cpus: null, lanes: parseLanes(of) };
  return span && { ...span, cpus: of === undefined ? null : parseCpuList(of) };
}

function formatSelection(selection: Selection): string {
  const { cpus, lanes } = selection;
  const of = cpus ? `@${formatCpuList(cpus)}` : lanes ? `@${lanes.join('.')}` : '';
  return formatSpan(selection) + of;
}

const formatSpan = (span: Span) => `${Math.round(span.start)}-${Math.round(span.end)}`;

/** The place that a fragment (with or without `#`) encodes. */
export function parsePlace(fragment: string): Place {
  const text = fragment.replace(/^#?\/?/, '');
  const cut = text.indexOf('?');
  const [trace = '', view = '', number = ''] = (cut < 0 ? text : text.slice(0, cut)).split('/');
  const query = new URLSearchParams(cut < 0 ? '' : text.slice(cut + 1));
  const overlays = query.get('o');
  // `episodes/3`, and `episode/3`, are likely guesses of a user who has seen `episodes?e=3`.
  const named = view === 'episode' ? 'episodes' : view;
  const episode = query.get('e') ?? (named === 'episodes' && number !== '' ? number : null);
  return {
    trace: decode(trace) || null,
    view: oneOf(VIEWS, named, 'verdict'),
    window: parseSpan(query.get('w')),
    selection: parseSelection(query.get('s')),
    scheme: oneOf(SCHEMES, query.get('c'), 'state'),
    overlays: overlays === null ? DEFAULT_OVERLAYS : OVERLAYS.filter((item) => overlays.split('.').includes(item)),
    folded: parseFolded(query.get('fold')),
    fit: query.has('fit') ? query.get('fit') !== '0' : null,
    cpus: parseCpus(query.get('cpus')),
    first: parseOrdered(query.get('first')),
    cpuOrder: oneOf(CPU_ORDERS, query.get('cpuorder'), 'topology'),
    pins: parseLanes(query.get('pin')),
    grouping: oneOf(GROUPINGS, query.get('group'), 'none'),
    order: oneOf(LANE_ORDERS, query.get('order'), 'run'),
    open: parseLanes(query.get('open')),
    measure: parseMeasure(query.get('measure')),
    bookmarks: parseBookmarks(query.getAll('mark')),
    tasks: parseTasks(query.getAll('task')),
    utid: parseWhole(query.get('utid')),
    episode: parseWhole(episode),
    filter: query.get('q') ?? '',
    theme: oneOf(THEMES, query.get('theme'), 'auto'),
    wrong: wrongIn(named, episode),
    params: Object.fromEntries([...query].filter(([key]) => !KNOWN.has(key))),
  };
}

/** Null for none. */
function parseCpus(text: string | null): number[] | null {
  const cpus = parseCpuList(text ?? '');
  return cpus.length > 0 ? cpus : null;
}

/** CPUs in the order in which they are listed, each once. */
const parseOrdered = (text: string | null): number[] => [...new Set((text ?? '').split(',').flatMap(parseCpuList))];

const parseFolded = (text: string | null): string[] | null =>
  text === null ? null : text.split('.').filter((key) => key !== '' && key !== 'none');

/** What of an address is neither a view nor an episode's number. */
function wrongIn(view: string, episode: string | null): string | null {
  if (view !== '' && !(VIEWS as readonly string[]).includes(view)) return `view “${view}”`;
  return episode !== null && parseWhole(episode) === null ? `episode “${episode}”` : null;
}

/** The fragment, `#` included, of a place: only what differs from the default is written. */
export function formatPlace(place: Place): string {
  const query = new URLSearchParams();
  const set = (key: string, value: string | null) => value !== null && query.set(key, value);
  set('w', place.window && formatSpan(place.window));
  set('s', place.selection && formatSelection(place.selection));
  if (place.scheme !== 'state') set('c', place.scheme);
  if (place.overlays.join() !== DEFAULT_OVERLAYS.join()) set('o', place.overlays.join('.') || 'none');
  set('fold', place.folded && (place.folded.join('.') || 'none'));
  if (place.fit !== null) set('fit', place.fit ? '1' : '0');
  set('cpus', place.cpus && formatCpuList(place.cpus));
  if (place.first.length > 0) set('first', place.first.join(','));
  if (place.cpuOrder !== 'topology') set('cpuorder', place.cpuOrder);
  if (place.pins.length > 0) set('pin', place.pins.join('.'));
  if (place.grouping !== 'none') set('group', place.grouping);
  if (place.order !== 'run') set('order', place.order);
  if (place.open.length > 0) set('open', place.open.join('.'));
  if (place.measure) {
    const { from, to } = place.measure;
    set('measure', to === null ? String(from) : `${from}-${to}`);
  }
  for (const { t, text: words } of place.bookmarks) query.append('mark', words === '' ? String(t) : `${t}:${words}`);
  for (const task of place.tasks) query.append('task', task);
  set('utid', place.utid === null ? null : String(place.utid));
  set('e', place.episode === null ? null : String(place.episode));
  if (place.filter) set('q', place.filter);
  if (place.theme !== 'auto') set('theme', place.theme);
  for (const [key, value] of Object.entries(place.params)) if (!KNOWN.has(key)) query.set(key, value);
  const text = query.toString().replaceAll('%40', '@').replaceAll('%2C', ',').replaceAll('%3A', ':');
  const path = place.trace === null ? '' : `${encodeURIComponent(place.trace)}/${place.view}`;
  return `#/${path}${text && `?${text}`}`;
}

/** `place` with `change` applied. Another trace starts afresh (only the theme stays); another view drops `params`. */
export function move(place: Place, change: Partial<Place>): Place {
  const sameTrace = change.trace === undefined || change.trace === place.trace;
  const base = sameTrace ? place : { ...HOME, theme: place.theme };
  const sameView = change.view === undefined || change.view === base.view;
  return { ...base, wrong: null, ...(sameView ? {} : { params: {} }), ...change };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
