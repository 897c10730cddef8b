// Which CPUs placements of threads and load-balance attempts scanned in a window, which they chose, and what is said of it.

import { numbers, type Table } from '../../api/table';
import type { ThreadInstant } from '../../api/types';
import { formatCpuList } from '../cpulist';
import { moment, plural } from '../units';

/** A placement of a thread, or a load-balance attempt. Times in ns of the trace's clock. */
export interface Scan {
  /** Of the event. */
  id: number;
  t: number;
  /** That decided. */
  cpu: number;
  /** Thread placed; null: of an attempt, or not known. */
  utid: number | null;
  made: 'wakeup' | 'fork' | 'exec' | 'placement' | 'attempt';
  /** Ascending; null: not recorded. */
  scanned: readonly number[] | null;
  chosen: number | null;
  /** CPU that the thread had before. */
  before: number | null;
  /** Of an attempt: the CPU it was for, the level of its domain, threads moved. */
  target: number | null;
  level: number | null;
  pulled: number | null;
  /** Of an attempt: it found a busier group. */
  found: boolean | null;
}

/** What scanned CPUs. */
export type ScansOf = 'placements' | 'attempts';

export interface Scans {
  /** In the order of the trace. */
  rows: Scan[];
  truncated: boolean;
}

const COLUMNS = 'scan_id ts_ns cpu utid attempt_id chosen_cpu prev_cpu wake_flags dst_cpu level pulled found';

export function scansOf(table: Table): Scans {
  const names = COLUMNS.split(' ');
  const columns = Object.fromEntries(names.map((name) => [name, numbers(table, name)]));
  const known = (name: string, row: number) => {
    const value = columns[name]?.[row] as number;
    return Number.isNaN(value) ? null : value;
  };
  const cpus = table.columns.cpus;
  const items = cpus && 'items' in cpus ? cpus.items : [];
  const rows = Array.from(
    { length: table.rows },
    (_, row): Scan => ({
      id: known('scan_id', row) as number,
      t: known('ts_ns', row) as number,
      cpu: known('cpu', row) as number,
      utid: known('utid', row),
      made: known('attempt_id', row) === null ? placementOf(known('wake_flags', row)) : 'attempt',
      scanned: (items[row] as number[] | null | undefined) ?? null,
      chosen: known('chosen_cpu', row),
      before: known('prev_cpu', row),
      target: known('dst_cpu', row),
      level: known('level', row),
      pulled: known('pulled', row),
      found: truth(known('found', row)),
    }),
  );
  return { rows, truncated: table.meta.truncated === 'true' };
}

const truth = (value: number | null) => (value === null ? null : value > 0);

/** Flags of the kernel: WF_EXEC, WF_FORK, WF_TTWU. */
function placementOf(flags: number | null): Scan['made'] {
  if (flags === null) return 'placement';
  return flags & 4 ? 'fork' : flags & 2 ? 'exec' : flags & 8 ? 'wakeup' : 'placement';
}

/** That of the wakeup with which the picked slice or state began. */
export function scanOf(instant: ThreadInstant | undefined): Scan | null {
  const placement = instant?.placement;
  if (!placement) return null;
  return {
    id: placement.scan_id,
    t: placement.ts_ns,
    cpu: placement.cpu,
    utid: instant.utid,
    made: instant.wakeup?.is_new ? 'fork' : 'wakeup',
    scanned: placement.scanned,
    chosen: placement.chosen_cpu,
    before: placement.prev_cpu,
    target: null,
    level: null,
    pulled: null,
    found: null,
  };
}

type Scanned = Pick<Scan, 'scanned' | 'chosen'> & Partial<Pick<Scan, 'made' | 'pulled' | 'found'>>;

/** `scanned CPUs 0-3, 8; chose 2`. */
export function scanWords(scan: Scanned): string {
  const { scanned } = scan;
  const choice = choiceOf(scan);
  if (scanned === null) return `${choice}; the CPUs scanned are not recorded`;
  if (scanned.length === 0) return `scanned no CPU; ${choice}`;
  return `scanned ${scanned.length === 1 ? 'CPU' : 'CPUs'} ${formatCpuList(scanned).replaceAll(',', ', ')}; ${choice}`;
}

function choiceOf({ made, chosen, pulled, found }: Scanned): string {
  if (made !== 'attempt') return `chose ${chosen ?? 'none'}`;
  if ((pulled ?? 0) > 0) return chosen === null ? 'the queue it took from is not recorded' : `took from CPU ${chosen}`;
  if (found === false) return chosen === null ? 'found no busier group' : `examined CPU ${chosen}, found no more`;
  return chosen === null ? 'found a busier group; the queue is not recorded' : `examined CPU ${chosen}`;
}

const MADE: Partial<Record<Scan['made'], string>> = {
  wakeup: ' at its wakeup',
  fork: ' at its fork',
  exec: ' at its exec',
};

/** What a mark is about, for its tooltip. */
export function scanFacts(
  scan: Scan,
  labelOf: (utid: number) => string,
  origin: number,
): { title: string; rows: [string, string][] } {
  const rows: [string, string][] = [
    ['', scanWords(scan)],
    ['decided', `on CPU ${scan.cpu}, ${moment(scan.t - origin, 1000)}`],
  ];
  if (scan.made === 'attempt') {
    if (scan.level !== null) rows.push(['level', String(scan.level)]);
    if (scan.pulled !== null) rows.push(['pulled', plural(scan.pulled, 'thread')]);
    return { title: `Load-balance attempt for CPU ${scan.target ?? scan.cpu}`, rows };
  }
  if (scan.before !== null) rows.push(['CPU before', String(scan.before)]);
  return { title: `Placement of ${nameOf(scan, labelOf)}${MADE[scan.made] ?? ''}`, rows };
}

const nameOf = ({ utid }: Scan, labelOf: (utid: number) => string) => (utid === null ? 'a thread' : labelOf(utid));

/** Scans that are listed of what was picked. */
const MOST_LISTED = 2;

/** What a CPU decided from `start` to `end`, those nearest to an instant first. */
export function decidedFacts(
  scans: readonly Scan[],
  { cpus, start, end, t }: { cpus: readonly number[]; start: number; end: number; t: number },
  labelOf: (utid: number) => string,
  origin: number,
): [string, string][] {
  const own = scans.filter((scan) => cpus.includes(scan.cpu) && scan.t >= start && scan.t < Math.max(end, start + 1));
  const near = [...own].sort((a, b) => Math.abs(a.t - t) - Math.abs(b.t - t)).slice(0, MOST_LISTED);
  const rows = near
    .sort((a, b) => a.id - b.id)
    .map((scan): [string, string] => {
      const what =
        scan.made === 'attempt' ? `attempt for CPU ${scan.target ?? scan.cpu}` : `for ${nameOf(scan, labelOf)}`;
      return ['decided here', `${what} ${moment(scan.t - origin, 1000)}: ${scanWords(scan)}`];
    });
  if (own.length > near.length) rows.push(['', `and ${own.length - near.length} more decided here`]);
  return rows;
}

/** Of several stretches, each scan once, in the order of the trace. */
export function joinedScans(stretches: readonly Scans[]): Scan[] {
  if (stretches.length === 1) return (stretches[0] as Scans).rows;
  const seen = new Set<number>();
  const once = stretches.flatMap(({ rows }) => rows.filter(({ id }) => !seen.has(id) && Boolean(seen.add(id))));
  return once.sort((a, b) => a.id - b.id);
}
