// Beside the lanes: node ▸ LLC ▸ core ▸ CPU as brackets, which fold their lanes into one, and the names of threads and groups.

import { Icon } from '../../components/Icon';
import { formatCpuList } from '../../logic/cpulist';
import { heightOfCpus, type LaneLayout, type ThreadLane } from '../../logic/timeline/lanes';
import { bracketWords } from './fit';
import { CpuOrderChoice, LaneOrderChoice } from './LaneOrder';
import { toggleOpen, togglePin } from './pinning';
import styles from './Timeline.module.css';

/** Width of a column of brackets, and of the CPUs' numbers. */
const COLUMN_WIDTH = 22;
const NUMBERS_WIDTH = 44;
/** Over them stands by what they are sorted. */
const LEAST_WIDTH = 60;
/** Where a folded part has its name there. */
const PART_NAMES_WIDTH = 54;

/** Width of the names of threads, and what of it a narrow window has. */
const NAMES_WIDTH = 190;
const NARROW_NAMES = 116;
const NARROW = 560;

/** Height that a CPU's number takes: lanes that are lower have no name each. */
const NUMBER_HEIGHT = 11;

export function gutterWidth(lanes: LaneLayout): number {
  const names = window.innerWidth < NARROW ? NARROW_NAMES : NAMES_WIDTH;
  const numbers = lanes.folded.length > 0 ? PART_NAMES_WIDTH : NUMBERS_WIDTH;
  return Math.max(lanes.depth * COLUMN_WIDTH + numbers, LEAST_WIDTH, lanes.threads.length > 0 ? names : 0);
}

/** Begins with what the bracket shows, where that is short for its name. */
function nameOfBracket({ name, cpus, height, folded }: LaneLayout['brackets'][number]): string {
  const shown = folded ? '' : bracketWords(name, height);
  const whole = `${name}: CPUs ${formatCpuList(cpus)}`;
  return whole.includes(shown) ? whole : `${shown}, ${whole}`;
}

/** The numbers of so many lanes take the space of one. */
const numberedEvery = (layout: LaneLayout): number => {
  const height = heightOfCpus(layout) / Math.max(layout.lanes.length, 1);
  return 2 ** Math.max(Math.ceil(Math.log2(NUMBER_HEIGHT / Math.max(height, 1))), 0);
};

interface GutterProps {
  lanes: LaneLayout;
  top: number;
  /** How many CPUs' lanes are in sight. */
  seen: number;
  /** What of the lanes is in sight, in steps: names elsewhere are left out. */
  sight: { top: number; height: number };
  onSelectLane: (lane: ThreadLane) => void;
  onFold: (key: string) => void;
  onSelect: (cpus: readonly number[]) => void;
}

export function Gutter({ lanes, top, seen, sight, onFold, onSelect, onSelectLane }: GutterProps) {
  const roomy = lanes.threads.length > 0 && gutterWidth(lanes) >= NAMES_WIDTH;
  const nameOf = ({ name, height }: { name: string; height: number }) =>
    roomy && height >= NUMBER_HEIGHT && /^\d+$/.test(name) ? `CPU ${name}` : name;
  // Every second, fourth, eighth … lane, as far as the numbers have space.
  const every = numberedEvery(lanes);
  const cpus = lanes.lanes.reduce((sum, lane) => sum + lane.cpus.length, 0);
  const isNear = (lane: ThreadLane) => lane.top < sight.top + sight.height && lane.top + lane.height > sight.top;
  return (
    <div className={styles.gutter}>
      <div className={styles.corner} style={{ height: top }}>
        <LaneOrderChoice />
        <CpuOrderChoice lanes={cpus} seen={seen} />
      </div>
      {lanes.brackets.map((bracket) => (
        <button
          key={bracket.key}
          type="button"
          className={styles.bracket}
          style={{
            top: top + bracket.top,
            height: Math.max(bracket.height - 2, 8),
            left: bracket.depth * COLUMN_WIDTH,
            width: COLUMN_WIDTH - 4,
          }}
          aria-expanded={!bracket.folded}
          aria-label={nameOfBracket(bracket)}
          title={`${bracket.name}: CPUs ${formatCpuList(bracket.cpus)}. ${bracket.folded ? 'Unfold' : 'Fold into one lane'}`}
          onClick={() => onFold(bracket.key)}
        >
          <span>{bracket.folded ? '' : bracketWords(bracket.name, bracket.height)}</span>
        </button>
      ))}
      {lanes.lanes.map((lane, index) => (
        <button
          key={lane.key}
          type="button"
          tabIndex={-1}
          className={styles.lane}
          style={{
            // The first number is higher than a low lane: it starts below the axis, not under it.
            ...(index === 0 && lane.height < 11 ? { alignItems: 'flex-start' } : {}),
            top: top + lane.top,
            height: lane.height,
            fontSize: lane.height >= 18 ? 12 : lane.height >= NUMBER_HEIGHT ? 11 : 10,
          }}
          title={`CPUs ${formatCpuList(lane.cpus)}: statistics of what is in sight`}
          onClick={() => onSelect(lane.cpus)}
        >
          {lane.height >= NUMBER_HEIGHT || index % every === 0 ? nameOf(lane) : ''}
        </button>
      ))}
      {lanes.threads.filter(isNear).map((lane) => (
        <LaneName key={lane.key} lane={lane} top={top} onSelect={onSelectLane} />
      ))}
    </div>
  );
}

/** The name of a thread or group, with what unfolds and what pins it. */
function LaneName({ lane, top, onSelect }: { lane: ThreadLane; top: number; onSelect: (lane: ThreadLane) => void }) {
  const pinWords = lane.pinned ? 'Unpin' : 'Pin above the CPUs';
  return (
    <div
      className={styles.threadName}
      data-nested={lane.nested}
      data-group={lane.folded !== null}
      style={{ top: top + lane.top, height: lane.height }}
    >
      {lane.folded !== null && (
        <button
          type="button"
          className={styles.fold}
          aria-expanded={!lane.folded}
          aria-label={`${lane.name}: its threads`}
          title={`${lane.folded ? 'Unfold: a lane for each thread' : 'Fold into one lane'} (f)`}
          onClick={() => toggleOpen(lane.key)}
        >
          <Icon name={lane.folded ? 'right' : 'down'} />
        </button>
      )}
      <button
        type="button"
        tabIndex={-1}
        className={styles.name}
        title={`${lane.name}${lane.detail ? `\n${lane.detail}` : ''}\nStatistics of what is in sight`}
        onClick={() => onSelect(lane)}
      >
        {lane.name}
        {lane.folded !== null && <span className="muted"> ({lane.members})</span>}
      </button>
      <button
        type="button"
        className={styles.pin}
        aria-pressed={lane.pinned}
        aria-label={`${pinWords}: ${lane.name}`}
        title={pinWords}
        onClick={() => togglePin(lane.key)}
      >
        <Icon name={lane.pinned ? 'close' : 'pin'} />
      </button>
    </div>
  );
}
