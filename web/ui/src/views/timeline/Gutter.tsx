// The machine beside the lanes: node ▸ LLC ▸ core ▸ CPU as brackets. A bracket folds its lanes into one.

import { formatCpuList } from '../../logic/cpulist';
import type { LaneLayout } from '../../logic/timeline/lanes';
import styles from './Timeline.module.css';

/** Width of a column of brackets, and of the CPUs' numbers. */
const COLUMN_WIDTH = 22;
const NUMBERS_WIDTH = 44;

export const gutterWidth = (lanes: LaneLayout): number => lanes.depth * COLUMN_WIDTH + NUMBERS_WIDTH;

interface GutterProps {
  lanes: LaneLayout;
  top: number;
  onFold: (key: string) => void;
  onSelect: (cpus: readonly number[]) => void;
}

export function Gutter({ lanes, top, onFold, onSelect }: GutterProps) {
  return (
    <div className={styles.gutter}>
      <div className={styles.corner} style={{ height: top }} />
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
          aria-label={`${bracket.name}: CPUs ${formatCpuList(bracket.cpus)}`}
          title={`${bracket.name}: CPUs ${formatCpuList(bracket.cpus)}. ${bracket.folded ? 'Unfold' : 'Fold into one lane'}`}
          onClick={() => onFold(bracket.key)}
        >
          {bracket.height >= 40 && <span>{bracket.name}</span>}
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
            fontSize: lane.height >= 12 ? 12 : 10,
          }}
          title={`CPUs ${formatCpuList(lane.cpus)}: statistics of what is in sight`}
          onClick={() => onSelect(lane.cpus)}
        >
          {lane.height >= 11 || index % 4 === 0 ? lane.name : ''}
        </button>
      ))}
    </div>
  );
}
